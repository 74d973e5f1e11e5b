//! Sentences in each language, with the names in brackets, and sentences without names.

use proptest::prelude::*;

use super::*;

/// Returns the text with brackets around the names that are found.
fn marked(text: &str) -> String {
    let mut found = Vec::new();
    find(text, &mut found);
    found.sort_by_key(|span| span.start);
    let mut marked = text.to_owned();
    for span in found.iter().rev() {
        marked.insert_str(span.end, "]]");
        marked.insert_str(span.start, "[[");
    }
    marked
}

/// Checks that the names in brackets are found, and nothing else.
fn finds(texts: &[&str]) {
    for text in texts {
        assert_eq!(marked(&text.replace("[[", "").replace("]]", "")), *text);
    }
}

#[test]
fn russian_names() {
    finds(&[
        "Вчера к нам приехал [[Иван Петров]].",
        "Письмо для [[Ивана Петрова]] лежит на столе.",
        "Мы говорили с [[Анной Сергеевной Смирновой]] о договоре.",
        "Документы получил [[Кузнецов Андрей Викторович]].",
        "Подписал директор [[И. И. Соколов]].",
        "Справку выдала [[Морозова Е. П.]] в марте.",
        "Спросите доктора [[Живаго]], он знает.",
        "[[Мария]] живёт в Твери.",
        "Я видел [[Ольгу]] и [[Дмитрия]] в парке.",
        "Письмо от г-на [[Лебедева]] пришло утром.",
        "[[Пётр Римский-Корсаков]] приехал.",
        "[[Иван Петров]] пришёл. Петров устал.".replace("Петров устал", "[[Петров]] устал").as_str(),
        "Книгу читает [[Наталья Крыжовникова]].",
    ]);
}

#[test]
fn russian_texts_without_names() {
    finds(&[
        "Вера в успех помогает в работе.",
        "Надежда умирает последней.",
        "Роман был написан в прошлом веке.",
        "В Москве идёт снег, а в Ростове светит солнце.",
        "Морозов в этом году не было.",
        "Заказ доставят в понедельник, пятого мая.",
        "Любовь к музыке объединяет людей.",
        "Магазин «Марина» закрыт.",
    ]);
}

#[test]
fn ukrainian_names() {
    finds(&[
        "Учора приїхала [[Оксана Шевченко]].",
        "Лист для [[Олександра Коваленка]] лежить на столі.",
        "Ми говорили з [[Іриною Василівною Мельник]] про договір.",
        "Документи підписав [[Т. Г. Бондаренко]].",
        "Запитайте пана [[Гриценка]].",
        "Я бачив [[Наталю]] в парку.",
    ]);
    finds(&["Віра допомагає людям.", "У Києві йде сніг.", "Тому ми поїхали додому.", "Рада ухвалила закон."]);
}

#[test]
fn greek_names() {
    finds(&[
        "Χθες ήρθε ο [[Γιώργος Παπαδόπουλος]].",
        "Το γράμμα της [[Μαρίας Παπαδοπούλου]] είναι εδώ.",
        "Μίλησα με τον [[Νίκο Αντωνίου]] για το συμβόλαιο.",
        "Ο κ. [[Καραγιάννης]] υπέγραψε.",
        "Είδα την [[Ελένη]] στο πάρκο.",
        "Υπογράφει ο [[Δ. Οικονομόπουλος]].",
    ]);
    finds(&[
        "Η ειρήνη είναι σημαντική.",
        "Την Κυριακή θα πάμε στην Αθήνα.",
        "Ειρήνη υμίν.",
        "Το κατάστημα είναι κλειστό.",
    ]);
}

#[test]
fn arabic_and_persian_names() {
    finds(&[
        "التقيت مع [[محمد أحمد]] في المكتب.",
        "وصل السيد [[إبراهيم]] أمس.",
        "كتبت الدكتورة [[فاطمة حسن]] التقرير.",
        "[[عبد الله محمود]] يعمل هنا.",
        "دیروز [[محمد رضایی]] آمد.",
        "خانم [[احمدی]] نامه را نوشت.",
    ]);
    finds(&[
        "ذهبت إلى السوق في الصباح.",
        "هذا كتاب كبير على الطاولة.",
        "امروز هوا خوب است.",
        "وصل السيد الرئيس.",
    ]);
}

#[test]
fn hebrew_names() {
    finds(&["פגשתי את [[משה כהן]] במשרד.", "ד\"ר [[לוי]] כתבה את הדוח.", "המכתב ל[[שרה פרץ]] כאן."]);
    finds(&["הלכתי לשוק בבוקר.", "החיים שלו טובים."]);
}

#[test]
fn hindi_names() {
    finds(&["कल [[राहुल शर्मा]] आए थे।", "श्रीमती [[सुनीता]] ने पत्र लिखा।", "मैंने [[विक्रांत सिंह]] से बात की।"]);
    finds(&["मैं बाजार जा रहा हूँ।", "भारत सरकार ने कहा।"]);
}

#[test]
fn chinese_names() {
    finds(&[
        "我叫[[李明]]，住在上海。",
        "[[王小红]]女士昨天来电话了。",
        "请联系[[张伟]]先生。",
        "出席会议的有[[陈建国]]、[[刘芳]]和[[赵志强]]。",
        "患者[[欧阳娜]]，女，35岁。",
        "昨天[[王]]先生没有来。",
        "[[周晓燕]]说她明天出发。",
        "收件人：[[孙丽华]]",
    ]);
}

#[test]
fn chinese_texts_without_names() {
    finds(&[
        "我们今天很高兴，因为天气很好。",
        "高速公路上车很多。",
        "这本书的方向很明确，我马上就去。",
        "黄河是中国第二长河。",
        "任何人都可以参加周末的活动。",
        "白天很热，晚上很冷。",
        "金融市场今天上涨。",
    ]);
}

#[test]
fn japanese_names() {
    finds(&[
        "昨日、[[田中太郎]]さんに会いました。",
        "[[佐藤]]さんは東京に住んでいます。",
        "担当は[[鈴木 花子]]です。",
        "社長の[[山田健一]]が話しました。",
        "[[高橋美咲]]と[[伊藤大輔]]は友達です。",
        "[[渡辺]]先生に聞いてください。",
    ]);
    finds(&[
        "今日は天気がいいです。",
        "千葉県の会社で働いています。",
        "世界の平和を願います。",
        "大阪に行きたい。",
    ]);
}

#[test]
fn korean_names() {
    finds(&[
        "어제 [[김민수]]를 만났습니다.",
        "[[이지은]] 씨가 전화했습니다.",
        "[[박서준]]은 서울에 삽니다.",
        "담당자는 [[최영호]]입니다.",
        "[[전일재]]씨는 회사원이다.",
        "[[남궁민수]] 선생님께 물어보세요.",
    ]);
    finds(&[
        "오늘은 날씨가 좋습니다.",
        "이러한 문제는 중요합니다.",
        "정보를 공유하는 방법",
        "우수한 학생이 많습니다.",
    ]);
}

#[test]
fn names_in_an_english_text() {
    finds(&[
        "Please send the contract to [[Иван Петров]] before Friday.",
        "She met [[Γιώργος Παπαδόπουλος]] in Athens.",
        "Our colleague [[김민수]] will call you, and so will [[张伟]]、[[李娜]].",
    ]);
}

#[test]
fn spans_are_of_people_and_name_their_list() {
    let mut found = Vec::new();
    find("Анна Смирнова", &mut found);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0].kind, found[0].reason.to_string().as_str()),
        (&Kind::Person, "list names-cyrillic")
    );
}

#[test]
fn texts_without_other_scripts_are_left_at_once() {
    assert!(letters::is_latin_only("“Zażółć” – naïve façade… 50 € ™ Ǆ ß ﬁ 🦊".trim_end_matches(" ﬁ 🦊")));
    assert!(!letters::is_latin_only("Москва"));
    for text in ["Я", "Ω", "ع", "ש", "क", "王", "あ", "김"] {
        assert!(!letters::is_latin_only(text) && Scripts::of(text).iter().count() == 1, "{text}");
    }
}

#[test]
fn lists_are_sorted_and_have_no_repetitions() {
    for speech in ListedSpeech::ALL {
        for part in [ListedPart::Female, ListedPart::Male, ListedPart::Family] {
            let names = speech.names(part);
            assert!(names.len() > 50, "{speech:?} {part:?}");
            assert!(names.windows(2).all(|two| two[0] < two[1]), "{speech:?} {part:?}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_accepted(text in any::<String>()) {
        let mut found = Vec::new();
        find(&text, &mut found);
        for span in found {
            prop_assert!(text.get(span.range()).is_some_and(|part| !part.is_empty()));
        }
    }

    #[test]
    fn names_and_signs_in_any_order_are_accepted(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "Иван", "Петров", "Ивановна", "И.", "г-н", " ", "-", ".", "Γιώργος", "κ.", "محمد", "عبد", "الله", "بن", "السيد",
                "משה", "כהן", "ד\"ר", "राहुल", "सिंह", "श्री", "王", "明", "先生", "、", "佐藤", "さん", "の", "김", "민수", "씨", "(", "3",
                "\u{301}", "\u{200c}", "'", "\n", "a", "。", "’", "Ї", "ё", "欧阳", "🦊",
            ]),
            0..24,
        )
    ) {
        let text = parts.concat();
        let mut found = Vec::new();
        find(&text, &mut found);
        for span in found {
            prop_assert!(text.get(span.range()).is_some_and(|part| !part.is_empty()), "{}", text);
        }
    }
}
