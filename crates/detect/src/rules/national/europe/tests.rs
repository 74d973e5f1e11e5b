//! Examples of European numbers.

use crate::rules::testing::{finds, ignores};

#[test]
fn germany() {
    finds(
        "germany-tax-id",
        &[
            "Steuer-ID [[86 095 742 719]]",
            "IdNr: [[47036892816]]",
            "steuer-id: [[86095742719]].",
            "tax ID [[47036892816]]",
            "TIN [[86095742719]]",
        ],
    );
    ignores(
        "germany-tax-id",
        &[
            "86095742719",
            "Steuer-ID 86095742718",
            "IdNr 8609574271",
            "Steuer-ID 06095742719",
            "IdNr 860957427199",
        ],
    );
    finds(
        "germany-id-card",
        &[
            "Personalausweis [[L01X00T47]]",
            "Ausweis: [[T220001293]]",
            "Ausweisnummer [[L01X00T471]].",
            "ID card [[CFGHJK123]]",
            "identity card: [[LZ6311T47]]",
        ],
    );
    ignores(
        "germany-id-card",
        &["L01X00T47", "Ausweis L01X00", "Personalausweis A01X00T47", "ausweis LLLLLLLLL", "Ausweis 123"],
    );
}

#[test]
fn france_spain_italy() {
    finds(
        "france-nir",
        &[
            "[[2 69 05 49 588 157 80]]",
            "NIR [[269054958815780]].",
            "([[269054958815780]])",
            "sécurité sociale : [[1 85 05 78 006 084 36]]",
            "nir [[185057800608436]]",
        ],
    );
    ignores(
        "france-nir",
        &[
            "269054958815781",
            "3 69 05 49 588 157 80",
            "2 69 00 49 588 157 80",
            "2690549588157",
            "2690549588157800",
        ],
    );
    finds(
        "spain-dni",
        &[
            "[[12345678Z]]",
            "DNI [[12345678-Z]].",
            "NIE: [[X1234567L]]",
            "dni [[12345678A]]",
            "([[00000000T]])",
        ],
    );
    ignores("spain-dni", &["12345678A", "1234567Z", "123456789Z", "X1234567A", "A1234567L", "12345678I"]);
    finds(
        "italy-codice-fiscale",
        &[
            "[[RSSMRA85T10A562S]]",
            "CF [[RSSMRA85T10A562S]].",
            "codice fiscale: [[rssmra85t10a562s]]",
            "[[RSSMRA85T10A562T]]",
            "([[VRDGPP13R10B293P]])",
        ],
    );
    ignores(
        "italy-codice-fiscale",
        &[
            "RSSMRA85T10A562",
            "RSSMRA85Z10A562S",
            "RSSMRA85T10A562SS",
            "RSSMR185T10A562S",
            "XRSSMRA85T10A562S",
        ],
    );
}

#[test]
fn low_countries_and_portugal() {
    finds(
        "netherlands-bsn",
        &[
            "BSN [[111222333]]",
            "bsn: [[123456782]]",
            "burgerservicenummer [[1112.22.333]]",
            "BSN [[1112 22 333]].",
            "bsn=[[111222333]]",
        ],
    );
    ignores(
        "netherlands-bsn",
        &["111222333", "BSN 111222334", "BSN 000000000", "BSN 11122233300", "BSN 1112"],
    );
    finds(
        "belgium-national-number",
        &[
            "[[85.07.30-033.28]]",
            "NISS [[85073003328]].",
            "rijksregisternummer: [[85.07.30-033.28]]",
            "([[85073003328]])",
            "national number [[85.07.30-033-28]]",
        ],
    );
    ignores(
        "belgium-national-number",
        &["85.07.30-033.29", "85.13.30-033.28", "8507300332", "850730033288", "85.07.30-033"],
    );
    finds(
        "portugal-nif",
        &[
            "NIF [[123456789]]",
            "contribuinte [[501 442 600]]",
            "nif: [[123456789]].",
            "número fiscal [[123456789]]",
            "NIF=[[501442600]]",
        ],
    );
    ignores(
        "portugal-nif",
        &["123456789", "NIF 123456788", "NIF 423456789", "NIF 12345678", "NIF 1234567899"],
    );
}

#[test]
fn north() {
    finds(
        "sweden-personnummer",
        &[
            "[[811228-9874]]",
            "personnummer [[19811228-9874]].",
            "([[670919-9530]])",
            "Swedish [[811228+9874]]",
            "a,[[811228-9874]],b",
        ],
    );
    ignores(
        "sweden-personnummer",
        &["811228-9875", "811328-9874", "81122-9874", "811228-98745", "8112289874"],
    );
    finds(
        "sweden-personnummer-plain",
        &[
            "personnummer [[8112289874]]",
            "Personnummer: [[198112289874]]",
            "personnummer=[[8112289874]]",
            "personnummer [[6709199530]].",
            "samordningsnummer [[8112289874]]",
        ],
    );
    ignores(
        "sweden-personnummer-plain",
        &[
            "8112289874",
            "personnummer 8112289875",
            "personnummer 811228987",
            "personnummer 81122898744",
            "personnummer 8113289874",
        ],
    );
    finds(
        "finland-hetu",
        &[
            "[[131052-308T]]",
            "HETU [[131052-308T]].",
            "henkilötunnus: [[131052-308T]]",
            "([[131052-308T]])",
            "a,[[131052-308T]],b",
            "pasted [[131052–308T]]",
        ],
    );
    ignores("finland-hetu", &["131052-308U", "131352-308T", "131052-308", "131052-308TT", "131052G308T"]);
    finds(
        "norway-fodselsnummer",
        &[
            "[[01010750160]]",
            "fødselsnummer [[010107 50160]].",
            "fnr: [[01010750160]]",
            "([[01010750160]])",
            "personnummer [[01010750160]]",
        ],
    );
    ignores(
        "norway-fodselsnummer",
        &["01010750161", "01130750160", "0101075016", "010107501600", "fnr 01010750161"],
    );
    finds(
        "denmark-cpr",
        &[
            "[[070761-4285]]",
            "CPR [[070761-4285]].",
            "cpr-nummer: [[311299-1234]]",
            "([[010190-1234]])",
            "a,[[070761-4285]],b",
        ],
    );
    ignores("denmark-cpr", &["071361-4285", "420761-4285", "070761-428", "070761-42855", "0707614285"]);
}

#[test]
fn middle_and_east() {
    finds(
        "poland-pesel",
        &[
            "[[44051401359]]",
            "PESEL [[44051401359]].",
            "pesel: [[02070803628]]",
            "([[44051401359]])",
            "PESEL=[[02070803628]]",
        ],
    );
    ignores(
        "poland-pesel",
        &["44051401358", "44131401359", "4405140135", "440514013599", "PESEL 44051401358"],
    );
    finds(
        "switzerland-ahv",
        &[
            "[[756.9217.0769.85]]",
            "AHV [[756.1234.5678.97]].",
            "([[7569217076985]])",
            "avs: [[756.9217.0769.85]]",
            "[[756 9217 0769 85]]",
        ],
    );
    ignores(
        "switzerland-ahv",
        &["756.9217.0769.84", "755.9217.0769.85", "756.9217.0769", "756.9217.0769.855", "1.756.9217.0769.85"],
    );
    finds(
        "austria-social",
        &[
            "SVNR [[1237 010180]]",
            "Sozialversicherungsnummer: [[1237010180]]",
            "svnr [[1237 010180]].",
            "Versicherungsnummer [[1237010180]]",
            "SVNR=[[1237010180]]",
        ],
    );
    ignores(
        "austria-social",
        &["1237 010180", "SVNR 1238 010180", "SVNR 1237 0101", "SVNR 0237 010180", "SVNR 12370101800"],
    );
    finds(
        "czech-birth-number",
        &[
            "[[736028/5163]]",
            "rodné číslo [[736028/5163]].",
            "birth number: [[736028/5164]]",
            "([[736028/5163]])",
            "RČ [[736028/5163]]",
        ],
    );
    ignores(
        "czech-birth-number",
        &["736028/5164", "733528/5163", "73602/5163", "736028/51633", "7360285163"],
    );
    finds(
        "romania-cnp",
        &[
            "[[1800101221144]]",
            "CNP [[1800101221144]].",
            "cnp: [[1800101221144]]",
            "([[1800101221144]])",
            "cod numeric personal [[1800101221144]]",
        ],
    );
    ignores(
        "romania-cnp",
        &["1800101221145", "1801301221144", "180010122114", "18001012211444", "9800101221144"],
    );
    finds(
        "bulgaria-egn",
        &[
            "ЕГН [[7523169263]]",
            "EGN: [[7523169263]]",
            "egn [[8032056031]].",
            "ЕГН: [[8032056031]]",
            "EGN=[[7523169263]]",
        ],
    );
    ignores(
        "bulgaria-egn",
        &["7523169263", "EGN 7523169264", "EGN 752316926", "EGN 75231692633", "legend 7523169263"],
    );
    finds(
        "greece-amka",
        &[
            "AMKA [[01018012342]]",
            "ΑΜΚΑ: [[01018012342]]",
            "amka [[01018012342]].",
            "AMKA=[[01018012342]]",
            "AMKA ([[01018012342]])",
        ],
    );
    ignores(
        "greece-amka",
        &["01018012342", "AMKA 01018012346", "AMKA 0101801234", "AMKA 010180123422", "karma 01018012342"],
    );
    finds(
        "croatia-oib",
        &[
            "OIB [[94577403194]]",
            "oib: [[94577403194]]",
            "OIB [[33392005961]].",
            "OIB=[[33392005961]]",
            "OIB ([[94577403194]])",
        ],
    );
    ignores(
        "croatia-oib",
        &["94577403194", "OIB 94577403195", "OIB 9457740319", "OIB 945774031944", "hoibar 94577403194"],
    );
}

#[test]
fn social_and_company_numbers() {
    finds(
        "germany-social",
        &[
            "SV-Nummer [[15 070649 C 103]]",
            "Rentenversicherung: [[65170839J003]]",
            "[[15070649C103]] liegt vor",
        ],
    );
    ignores("germany-social", &["15 070649 C 104", "15 990649 C 103", "150706491103"]);
    finds("france-siren", &["SIREN [[732 829 320]]", "SIRET : [[732 829 320 00074]]"]);
    ignores("france-siren", &["732 829 320", "SIREN 732 829 321"]);
    finds("spain-cif", &["CIF [[A58818501]]", "NIF: [[B-12345674]]"]);
    ignores("spain-cif", &["CIF A58818502", "A5881850"]);
    finds("italy-vat", &["partita IVA [[12345670785]]"]);
    ignores("italy-vat", &["12345670785", "partita IVA 12345670786"]);
    finds("portugal-citizen-card", &["Cartão de Cidadão [[00000000 0 ZZ4]]", "[[000000000ZZ4]] é o número"]);
    ignores("portugal-citizen-card", &["Cartão de Cidadão 00000000 0 ZZ5", "000000000004"]);
}
