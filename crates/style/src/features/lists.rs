//! The words of each role.

use super::lexicon::Role;

/// Makes one table of words and of the names of their features.
macro_rules! function_words {
    ($($word:literal)*) => {
        /// Function words whose frequency is a habit and hardly a topic: words, names of features,
        /// labels.
        pub(super) const FUNCTION_WORDS: &[(&str, &str, &str)] =
            &[$(($word, concat!("word-", $word), concat!("the word “", $word, "”"))),*];
    };
}

function_words! {
    "the" "a" "an" "of" "to" "in" "and" "that" "it" "is" "was" "for" "on" "with" "as" "at" "by" "be" "this" "have" "from"
    "or" "but" "not" "are" "which" "who" "what" "when" "where" "how" "if" "so" "than" "then" "there" "would" "could"
    "should" "can" "will" "might" "must" "had" "were" "do" "all" "some" "no" "more" "about"
    "only" "just" "also" "because" "while" "though" "these" "still" "like" "upon"
}

/// The words of each role, separated by spaces.
#[rustfmt::skip]
pub(super) const ROLES: &[(Role, &str)] = &[
    (Role::FirstSingular, "i me my mine myself i'm i've i'll i'd im ive"),
    (Role::FirstPlural, "we us our ours ourselves we're we've we'll we'd weve"),
    (Role::Second, "you your yours yourself yourselves you're you've you'll you'd youre youve u ur"),
    (Role::Third, "he she they him her them his hers their theirs himself herself themselves he's she's they're they've \
        they'll they'd he'll she'll he'd she'd hes shes theyre theyve"),
    // Words that start sentences.
    (Role::Conjunction, "and but so or because yet nor plus"),
    (Role::Pointer, "it this that there these those it's that's there's its thats theres"),
    // Auxiliary verbs.
    (Role::Be, "am is are was were be been being i'm you're we're they're he's she's it's that's isn't aren't wasn't \
        weren't im youre theyre isnt arent wasnt werent"),
    (Role::TakesNot, "do does did is are was were have has had can could would should will must need"),
    (Role::Participle, "been done gone seen known given taken made said told found left lost kept held brought bought \
        thought taught caught built sent spent paid sold cut put set hit hurt read written driven eaten fallen broken \
        chosen spoken stolen forgotten hidden shown grown drawn thrown worn torn born led met felt heard won"),
    (Role::Modal, "can could may might must shall should will would can't couldn't won't wouldn't shouldn't cannot"),
    (Role::Negation, "not no never none nobody nothing neither nor nowhere cannot"),
    // Comments on the statement.
    (Role::Hedge, "maybe perhaps possibly probably apparently presumably seemingly somewhat roughly arguably supposedly \
        likely seems seem seemed might"),
    (Role::HedgingVerb, "think guess suppose believe feel reckon assume imagine"),
    (Role::Intensifier, "very really extremely totally absolutely completely incredibly super highly quite pretty insanely \
        utterly so too hella"),
    (Role::Certainty, "always never definitely certainly clearly obviously undoubtedly surely indeed everyone everything"),
    (Role::Filler, "just actually basically literally honestly anyway anyways essentially simply like well"),
    (Role::Connective, "however therefore moreover furthermore nevertheless nonetheless thus hence consequently meanwhile \
        otherwise instead besides additionally finally similarly likewise whereas"),
    (Role::Politeness, "please thanks thank sorry appreciate appreciated welcome kindly cheers grateful excuse pardon"),
    // Online.
    (Role::Chat, "u ur tbh imo imho btw idk ikr omg omfg wtf smh afaik iirc fwiw fyi ftw tldr brb gtg nvm ppl pls plz \
        thx ty np rn bc b4 gr8 l8r w8 dm dms lmk ngl icymi jk irl tmi bf gf bff ofc istg fr af"),
    (Role::Laughter, "lol lmao lmfao rofl haha hahaha hahahaha hehe hehehe lolol lul kek hah heh ha"),
    (Role::Strong, "damn damned dammit goddamn hell crap crappy shit shitty bullshit fuck fucking fucked fucker fuckin ass \
        asshole bastard bitch piss pissed bloody bollocks"),
    (Role::Clipped, "tho thru nite cuz coz cos til altho prolly probs deffo obvs luv gud wat dat dis sry bday pic \
        pics yall ya yer"),
    (Role::Spoken, "gonna wanna gotta kinda sorta outta hafta lemme gimme dunno shoulda coulda woulda"),
    (Role::MissingApostrophe, "dont cant wont isnt arent wasnt werent doesnt didnt havent hasnt hadnt wouldnt couldnt \
        shouldnt aint im ive youre youve youll theyre theyve theyll weve thats whats wheres hows hes shes theres heres \
        itll thatll wouldve couldve shouldve"),
    (Role::Yeah, "yeah yep yup yea ya yah"),
    // Numbers and names.
    (Role::NumberWord, "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million"),
    (Role::Name, "monday tuesday wednesday thursday friday saturday sunday january february april june july august \
        september october november december english french german spanish american british european chinese japanese \
        america england europe london paris christmas easter"),
    (Role::Abbreviation, "mr mrs ms dr prof st vs eg ie fig vol approx dept cf al lt sgt"),
    (Role::AbbreviationAtEnd, "etc inc ltd corp jr sr pm"),
    // Endings that look like something else.
    (Role::NotAdverb, "only family reply early fly supply apply rely july italy likely lovely friendly lonely ugly silly \
        holy belly jelly bully ally daily weekly monthly yearly elderly assembly anomaly multiply imply comply lily \
        folly jolly hilly rally tally butterfly costly deadly lively curly oily"),
    (Role::NotGerund, "thing things something nothing anything everything king ring bring sing spring string during morning \
        evening wing swing sting cling fling sling ceiling sibling being ping ding"),
    // Mistakes. Lists cannot tell whether "their" or "there" is meant, so such pairs are not here.
    (Role::TypingSlip, "teh hte adn taht thta waht jsut knwo konw liek becuase becasue wiht hten \
        tehn tihs thsi hvae ahve yuo yoru peopel poeple smae soem toher owrk wokr coudl woudl shoudl"),
    (Role::WrongJoin, "alot aswell infact eachother atleast incase noone ofcourse eventhough allright thankyou upto \
        abit alittle highschool everytime"),
    (Role::Misspelling, "definately definatly definetly seperate seperately seperated recieve recieved recieving \
        beleive belive acheive acheived occured occuring occurence untill wierd thier freind freinds tommorow tommorrow \
        tomorow goverment enviroment begining comming existance ingreatful gratefull truely \
        publically accross accomodate accomodation adress agressive arguement basicly calender catagory cemetary \
        changable collegue comittee concious concensus curiousity dissapear dissapoint dissapointed dissapointing \
        embarass embarassed embarassing equiptment excercise experiance finaly foriegn fourty futher garantee gaurd \
        grammer happend harrass heighth hieght hygeine immediatly intresting intrest knowlege libary \
        maintainance maintenence millenium mispell mispelled neccessary necesary neccesary noticable \
        ocassion ocassionally occassion oppurtunity opertunity paralel persistant posession prefered privelege \
        priviledge probaly probly pronounciation propably questionaire realy reccomend recomend reccommend refered \
        relevent religous remeber rember repitition resistence restaraunt resturant rythm rediculous scedule sieze \
        similiar sincerly speach strenght succesful successfull sucess suprise suprised supposably temperture \
        threshhold togather togeather twelth tyrany unfortunatly unfortunatley usally usefull vaccum vegatable visable \
        whereever wich writting yeild probelm diffrent diffrence differant speical sentance completly extremly \
        absolutly beautifull beatiful awfull carefull hopefull peice percieve apparantly appearence atheletic buisness \
        bussiness commited congradulations controversal convienent desparate dilema disipline exagerate excelent \
        facinating familar febuary firey guage genious gratitous gullable imediately inconvienient \
        innoculate liason manuever medecine mischievious misterious nieghbor nineth ninty noticably \
        parliment passtime perseverence preceed proffesional professer recieves recipie refrence resevoir sherrif \
        skilfull tendancy thankfull tounge usualy vehical volonteer wensday wendsday"),
];
