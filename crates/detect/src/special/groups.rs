//! The words of the special categories, written for this project.
//!
//! A word that starts with `~` counts only in a sentence about a person, one with `!` only if it directly
//! describes a person, and one with `^` only if it belongs to somebody ("my husband").

use std::ops::Range;

use super::context;
use crate::kind::Kind;

/// Words of one kind that are interchangeable in a sentence.
pub(super) struct WordGroup {
    pub(super) kind: Kind,
    pub(super) words: &'static [&'static str],
}

impl WordGroup {
    /// Returns the words and phrases.
    pub(super) fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.words.iter().map(|word| Need::of(word).1)
    }
}

/// The context that a word needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Nothing,
    Person,
    Description,
    Owner,
}

impl Need {
    /// Returns the need and the text of a word as it is written in a group.
    pub(super) fn of(written: &'static str) -> (Need, &'static str) {
        match written.split_at_checked(1) {
            Some(("~", text)) => (Need::Person, text),
            Some(("!", text)) => (Need::Description, text),
            Some(("^", text)) => (Need::Owner, text),
            _ => (Need::Nothing, written),
        }
    }

    pub(super) fn holds(self, text: &str, range: &Range<usize>, capital: bool) -> bool {
        match self {
            Need::Nothing => true,
            Need::Person => context::is_about_a_person(text, range, capital),
            Need::Description => context::describes_a_person(text, range, capital),
            Need::Owner => context::is_owned(text, range),
        }
    }
}

macro_rules! groups {
    ($($kind:ident [$($word:literal),* $(,)?];)*) => {
        /// All groups, those of one kind together.
        pub(super) static GROUPS: &[WordGroup] =
            &[$(WordGroup { kind: Kind::$kind, words: &[$($word),*] }),*];
    };
}

groups! {
    // Adjectives.
    Orientation ["~gay", "~lesbian", "bisexual", "~homosexual", "~heterosexual", "~asexual", "pansexual", "~queer",
        "transgender", "transsexual", "!trans", "polyamorous", "~closeted", "genderqueer", "~non-binary", "~celibate",
        "~promiscuous", "~intersex", "genderfluid", "~attracted to men", "~attracted to women"];
    // Persons.
    Orientation ["sex worker", "!escort", "~prostitute", "~swinger", "!virgin", "~dominatrix", "~call girl", "~cross-dresser",
        "~drag queen", "trans woman", "trans man"];
    // Acts in the past.
    Orientation ["~slept with", "had sex with", "~hooked up with", "had an affair with", "~cheated with", "~sleeping with",
        "had a threesome with"];
    // Things.
    Orientation ["one-night stand", "unprotected sex", "~threesome", "open marriage", "~sex tape", "~sex life", "~sexual orientation",
        "extramarital affair", "~porn addiction", "~fetish", "~sexual partners"];
    Orientation ["came out to", "came out as"];
    // Adjectives.
    Ethnicity ["!black", "!white", "!Asian", "~Latino", "~Latina", "~Latinx", "~Hispanic", "!Arab", "~Romani", "!Roma", "~Aboriginal",
        "!indigenous", "~Native American", "African American", "African-American", "~Caucasian", "mixed-race",
        "~biracial", "~Kurdish", "~Maori", "~Māori", "~Inuit", "~Sami", "~Tamil", "~Uyghur", "~Yoruba", "~Igbo", "~Zulu",
        "~Cherokee", "~Navajo", "~Punjabi", "~Pashtun", "~Hmong", "~Berber", "~Métis", "~Tutsi", "~Hutu", "~Rohingya", "!brown",
        "~of colour", "~dark-skinned", "~light-skinned", "~half Japanese", "~half Chinese", "~half Nigerian"];
    Ethnicity ["~ethnic background", "~ethnic origin", "~racial origin", "~skin colour", "~skin color", "~ethnicity"];
    // Adjectives and persons.
    Belief ["~Catholic", "~Muslim", "~Jewish", "~Hindu", "~Sikh", "~Buddhist", "~Protestant", "~Mormon", "~atheist", "~agnostic",
        "~Christian", "~Baptist", "~Methodist", "~Lutheran", "~pagan", "~Wiccan", "~Scientologist", "~Quaker", "~evangelical",
        "~Shia", "~Sunni", "~Jain", "~Zoroastrian", "~Presbyterian", "~Anglican", "~Pentecostal", "~Ahmadi", "~Alevi", "~Druze",
        "~humanist", "~Satanist", "~Rastafarian", "~Adventist", "~Hasidic"];
    Belief ["Jehovah's Witness", "~practising Catholic", "~devout Muslim", "~Orthodox Jew", "~born-again Christian"];
    Belief ["converted to Islam", "converted to Judaism", "converted to Catholicism", "converted to Buddhism",
        "~left the church", "~joined a cult", "~lost my faith", "~found Jesus"];
    Belief ["~prays five times a day", "~goes to mass", "~wears a hijab", "~wears a turban", "~keeps kosher", "~fasts during Ramadan",
        "~attends synagogue", "~goes to church", "~tithes"];
    // Adjectives and persons.
    Politics ["~communist", "~socialist", "~Republican", "~Democrat", "!conservative", "~libertarian", "~anarchist", "~marxist",
        "~fascist", "~Tory", "~leftist", "!liberal", "~nationalist", "~monarchist", "~far-right", "~far-left", "~Trotskyist",
        "~separatist", "~Maoist", "~pro-life", "~pro-choice", "~left-wing", "~right-wing", "~neo-Nazi", "~Brexiteer"];
    Politics ["voted for", "~canvassed for", "~campaigned for", "~donated to", "~marched against", "~protested against"];
    Politics ["voted Republican", "voted Democrat", "voted Labour", "voted Green", "votes Labour", "votes Tory", "votes Republican",
        "voted Conservative", "~voted leave", "~voted remain"];
    Politics ["trade unionist", "union member", "shop steward", "union rep", "union representative", "union organiser",
        "union organizer", "~card-carrying member", "~party member", "~union official"];
    Politics ["~joined the union", "~joined a union", "~joined a trade union", "~pays union dues", "~left the union",
        "~organised the strike", "~organized the strike", "~went on strike", "~joined the picket line", "~crossed the picket line",
        "~joined the party", "~left the party"];
    Politics ["~union membership", "~union dues", "trade union membership", "~political views", "~political opinions",
        "~party membership", "~union card", "~trade union"];
    // Adjectives.
    Health ["~pregnant", "HIV-positive", "HIV positive", "~alcoholic", "~suicidal", "~bipolar", "~schizophrenic", "~autistic",
        "~anorexic", "~bulimic", "!disabled", "~diabetic", "~epileptic", "~infertile", "~impotent", "~incontinent", "~paralysed",
        "~paralyzed", "~dyslexic", "~depressed", "~deaf", "~obese", "~terminally ill", "~manic", "~psychotic", "~immunocompromised",
        "~addicted to heroin", "~addicted to painkillers", "~addicted to gambling", "~wheelchair-bound", "~in a coma",
        "~postmenopausal", "~menopausal", "~asthmatic", "~anaemic", "~anemic"];
    // Persons.
    Health ["~recovering alcoholic", "~drug addict", "~heroin addict", "~addict", "~cancer survivor", "~amputee", "~haemophiliac",
        "~hemophiliac", "~gambling addict", "~wheelchair user", "~transplant recipient"];
    // Things.
    Health ["~abortion", "~C-section", "~miscarriage", "~stillbirth", "~overdose", "~chemotherapy", "~chemo", "~dialysis", "~IVF", "~hysterectomy",
        "~mastectomy", "~vasectomy", "~colonoscopy", "~panic attacks", "~eating disorder", "~nervous breakdown",
        "~suicide attempt", "~seizures", "~erectile dysfunction", "~rehab", "~sobriety", "~psychiatric ward",
        "~biopsy", "~transplant", "~STDs", "~STD test", "~sexually transmitted disease", "~sexually transmitted infection", "~chlamydia", "~gonorrhoea", "~gonorrhea", "~herpes", "~syphilis", "~hepatitis",
        "~self-harm", "~insomnia", "~PTSD", "~ADHD", "~OCD", "~dementia", "~alcoholism", "~drinking problem", "~drug habit",
        "~hearing aid", "~pacemaker", "~prosthetic leg", "~colostomy bag", "~methadone programme"];
    Health ["~relapsed", "~overdosed", "~miscarried", "~self-harms", "~cut herself", "~tried to kill himself",
        "~tried to kill herself", "~attempted suicide", "~had a stroke", "~had a breakdown"];
    Medication ["heroin", "cocaine", "~crystal meth", "methamphetamine", "fentanyl", "~LSD", "~MDMA", "ketamine", "methadone",
        "~cannabis", "~marijuana", "oxycodone", "~opioids", "~antidepressants", "~antipsychotics", "~viagra",
        "~truvada", "~lithium", "~naloxone", "~buprenorphine", "~steroids", "~crack cocaine", "~amphetamines"];
    // Things.
    Biometric ["~DNA test", "~DNA sample", "~DNA profile", "~fingerprint", "~fingerprints", "iris scan", "retina scan", "retinal scan",
        "~voiceprint", "voice print", "palm print", "~face template", "facial recognition template", "~faceprint", "hand geometry",
        "~genome", "~genetic test", "~genetic profile", "~haplogroup", "~karyotype", "~DNA", "~gait profile", "~vein pattern",
        "~keystroke pattern", "~face scan", "~biometric data", "~genetic data", "~paternity test"];
    Biometric ["BRCA1", "BRCA2", "~Huntington's gene", "~sickle cell trait", "~APOE4", "~Lynch syndrome mutation", "~CFTR mutation",
        "~genetic mutation", "~gene mutation", "~factor V Leiden", "~extra chromosome", "~trisomy 21", "~genetic marker"];
    // What happened to someone.
    Crime ["~convicted of fraud", "~convicted of murder", "~convicted of theft", "~convicted of assault", "~convicted", "~arrested",
        "~jailed", "~imprisoned", "~incarcerated", "~indicted", "~charged with assault", "~charged with fraud", "~charged with theft",
        "~charged with murder", "~charged with possession", "~sentenced", "~acquitted", "~raped", "~sexually assaulted",
        "~molested", "~sexually abused", "~stabbed", "~mugged", "~kidnapped", "~murdered", "~trafficked", "~beaten up", "~stalked",
        "~paroled", "~caught shoplifting", "~caught stealing", "~blackmailed", "~abused as a child"];
    Crime ["~on parole", "~on probation", "~in prison", "~in jail", "~behind bars", "~under house arrest", "~on bail", "~on remand",
        "~in custody"];
    Crime ["~felon", "~ex-convict", "~ex-con", "~sex offender", "registered sex offender", "~drug dealer", "~murderer", "~rapist",
        "~paedophile", "~pedophile", "~shoplifter", "~arsonist", "~burglar", "~gang member", "~rape victim", "~abuse victim",
        "~rape survivor"];
    Crime ["~criminal record", "~criminal history", "~restraining order", "~domestic violence", "~prior convictions", "~rap sheet",
        "~DUI", "~DWI", "~drunk driving", "~shoplifting", "~burglary", "~embezzlement", "~assault", "~manslaughter", "~rape",
        "~sexual assault", "~armed robbery", "~arrest warrant", "~ankle monitor", "~felony", "~misdemeanour", "~misdemeanor", "~prior conviction",
        "~drug possession", "~child abuse", "~arson", "~tax evasion"];
    Crime ["~served time", "~did time", "~robbed a bank", "~stole money", "~embezzled money", "~went to prison", "~went to jail",
        "~sold drugs", "~stole a car", "~set fire to"];
    // Men.
    Family ["^husband", "^ex-husband", "^boyfriend", "^son", "^father", "^dad", "^brother", "^stepson", "^stepfather", "^stepdad",
        "^grandfather", "^grandpa", "^uncle", "^nephew", "^grandson", "^father-in-law", "^brother-in-law", "^son-in-law",
        "^half-brother", "^stepbrother", "^daddy", "^granddad"];
    // Women.
    Family ["^wife", "^ex-wife", "^girlfriend", "^daughter", "^mother", "^mom", "^mum", "^sister", "^stepdaughter", "^stepmother",
        "^stepmom", "^grandmother", "^grandma", "^aunt", "^niece", "^granddaughter", "^mother-in-law", "^sister-in-law",
        "^daughter-in-law", "^half-sister", "^stepsister", "^mommy", "^granny"];
    // Anyone.
    Family ["^spouse", "^partner", "^ex", "^fiancé", "^fiancée", "^fiance", "^fiancee", "^parents", "^kids", "^children", "^siblings",
        "^in-laws", "^twins", "^cousin", "^cousins", "^grandparents", "^grandchildren", "^stepchildren", "^stepkids",
        "^foster parents", "^birth mother", "^adoptive parents", "^guardian", "^toddler", "^baby", "^relatives"];
    // States.
    Family ["~divorced", "~widowed", "~adopted", "!separated", "~orphaned", "~remarried", "~childless", "~estranged",
        "~engaged to be married", "~newly married", "~unmarried"];
    Family ["~single mother", "~single father", "~single mom", "~single parent", "~widow", "~widower", "~orphan", "~foster child",
        "~only child", "~surrogate mother", "~divorcee"];
    Family ["~custody battle", "~divorce", "~paternity", "~marital status", "~next of kin", "~child support", "~alimony",
        "~adoption papers", "~prenup"];
    // Adjectives.
    Immigration ["~undocumented", "~stateless", "~deported", "~naturalised", "~naturalized", "~detained by ICE", "~denied asylum",
        "~granted asylum", "~here illegally", "~in the country illegally"];
    // Persons.
    Immigration ["asylum seeker", "asylum-seeker", "~refugee", "illegal immigrant", "illegal alien", "undocumented immigrant",
        "DACA recipient", "~visa overstayer", "~green card holder", "~permanent resident", "~failed asylum seeker",
        "~migrant worker", "~guest worker", "undocumented worker", "~immigrant"];
    // Things.
    Immigration ["~asylum", "~asylum claim", "~asylum application", "~green card", "~work permit", "~residence permit", "~work visa",
        "~student visa", "~tourist visa", "~immigration status", "~deportation order", "~deportation", "~citizenship application",
        "~H-1B", "~leave to remain", "~visa", "~citizenship", "~immigration hearing", "~refugee status"];
    Immigration ["~overstayed", "~overstayed a visa", "~overstayed his visa", "~overstayed her visa", "~overstayed my visa", "~crossed the border illegally",
        "~entered illegally"];
    // Adjectives.
    Finance ["~bankrupt", "~insolvent", "!broke", "~in debt", "~overdrawn", "~unemployed", "~evicted", "~on welfare", "~on benefits",
        "~on food stamps", "~behind on rent", "~behind on the rent", "~deep in debt", "~underwater on the mortgage", "~jobless",
        "~penniless", "~on the dole", "~on disability", "~in arrears", "~homeless", "~uninsured", "~laid off"];
    // Things.
    Finance ["~bankruptcy", "~credit score", "~credit rating", "~foreclosure", "~payday loan", "food stamps", "~housing benefit",
        "~universal credit", "~student loans", "~student debt", "~credit card debt", "~gambling debts", "~mortgage", "~salary",
        "~income", "~net worth", "~life savings", "~inheritance", "~trust fund", "~child benefit", "~tax debt", "~eviction notice",
        "~county court judgment", "~debt collector", "~overdraft", "~unpaid rent", "~pension", "~debts", "~wage garnishment",
        "~Medicaid", "~disability benefits", "~pay cut", "~annual income", "~bank balance"];
    Finance ["~went bankrupt", "~declared bankruptcy", "~filed for bankruptcy", "~defaulted on", "~maxed out", "~lost the house",
        "~missed a payment", "~remortgaged", "~pawned", "~gambled away"];
}
