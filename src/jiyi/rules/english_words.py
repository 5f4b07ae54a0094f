"""English words that the rules know."""

from __future__ import annotations

_FAMILY = (
    "wife husband spouse mother father mom mum mommy mummy dad daddy parents parent sister brother "
    "sisters brothers son "
    "daughter sons daughters kid kids child children baby girl boy twins niece nephew nieces nephews "
    "uncle aunt cousin cousins "
    "grandmother grandfather grandma grandpa granny grandparents grandson granddaughter stepson "
    "stepdaughter stepmother "
    "stepfather godson goddaughter in-laws family"
)
_PARTNERS = "wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée ex ex-wife ex-husband"
_OTHERS = (
    "friend friends boss manager supervisor colleague colleagues coworker coworkers co-worker "
    "teammate teammates roommate "
    "flatmate neighbour neighbor neighbours neighbors landlord landlady teacher tutor coach trainer "
    "doctor gp dentist therapist "
    "physician vet babysitter nanny assistant client customer mentor professor accountant lawyer hairdresser team group"
)
PETS = (
    "dog dogs cat cats puppy puppies kitten kittens hamster hamsters rabbit rabbits parrot parrots "
    "bird birds fish goldfish "
    "tortoise turtle turtles horse horses pony guinea gecko snake lizard ferret budgie canary pet pets chickens hens"
)
_KINDS = {"family": _FAMILY, "partner": _PARTNERS, "friend": _OTHERS, "pet": PETS}
RELATIONS = {word: kind for kind, words in _KINDS.items() for word in words.split()}
"""Relative, friend or animal -> the attribute that speaks of them."""
NUMBERS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    "|seventeen|eighteen"
    "|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred"
)
_ADVERBS_WORDS = (
    "now currently still just really also actually always usually often sometimes mostly mainly "
    "normally generally only already recently finally absolutely definitely totally truly even both "
    "all simply quite very so too pretty rather personally especially particularly officially "
    "originally presently today basically regularly lately strictly severely badly deathly highly "
    "mildly slightly seriously deeply kindof myself ever newly not-so happily secretly almost nearly "
    "about probably been be either have're regularly"
)
ADVERBS = frozenset(_ADVERBS_WORDS.split())
_NEGATIONS_WORDS = (
    "not don't doesn't didn't can't cannot won't never haven't hasn't hadn't isn't aren't wasn't "
    "weren't ain't rarely hardly couldn't shouldn't mustn't needn't dont doesnt cant wont"
)
NEGATIONS = frozenset(_NEGATIONS_WORDS.split())
_BE_WORDS = "'m am is are 's 're was were be being isn't aren't wasn't weren't im"
BE = frozenset(_BE_WORDS.split())
_OCCUPATIONS_WORDS = (
    "teacher nurse doctor engineer developer programmer designer architect accountant lawyer attorney "
    "journalist writer author editor translator interpreter chef cook baker waiter waitress barista "
    "driver pilot farmer gardener carpenter plumber electrician mechanic builder painter artist "
    "musician singer actor actress dancer photographer filmmaker scientist researcher professor "
    "lecturer tutor librarian pharmacist dentist surgeon vet veterinarian psychologist therapist "
    "counselor counsellor manager director ceo cto cfo founder entrepreneur consultant analyst buyer "
    "salesman saleswoman salesperson realtor broker banker cashier clerk secretary receptionist "
    "assistant intern apprentice freelancer contractor soldier officer policeman policewoman "
    "firefighter paramedic midwife caregiver nanny babysitter cleaner janitor tailor hairdresser "
    "barber beautician trainer coach athlete economist mathematician physicist chemist biologist "
    "geologist statistician technician welder machinist operator dispatcher courier postman mailman "
    "fisherman fisher sailor captain judge diplomat politician civil-servant administrator "
    "coordinator strategist marketer copywriter blogger youtuber streamer podcaster retiree pensioner "
    "homemaker housewife househusband conductor composer curator historian archaeologist linguist "
    "anthropologist sociologist philosopher priest pastor monk recruiter planner surveyor optician "
    "optometrist physiotherapist radiologist cardiologist pediatrician paediatrician psychiatrist "
    "florist"
)
OCCUPATIONS = frozenset(_OCCUPATIONS_WORDS.split())
CONDITIONS = (
    r"diabetic|pregnant|asthmatic|colou?r[- ]?blind|lactose[- ]intolerant|gluten[- ]intolerant|celiac"
    r"|coeliac|an[a]?emic|dyslexic"
    r"|autistic|epileptic|deaf|blind|left[- ]handed|short[- ]sighted|near[- ]?sighted|far[- ]sighted"
    r"|insomniac|hypertensive"
)
ILLNESSES = (
    r"diabetes|asthma|migraines?|high blood pressure|hypertension|arthritis|epilepsy|adhd|add|autism"
    r"|depression|anxiety|insomnia"
    r"|celiac disease|eczema|cancer|anemia|anaemia|hay fever|reflux|gerd|ibs|crohn's|gout|tinnitus|a "
    r"heart condition|a bad back"
    r"|high cholesterol|low blood pressure|vertigo|sciatica|psoriasis|sleep apnea|thyroid \w+|a pacemaker"
)
DIETS = r"vegetarian|vegan|pescatarian|flexitarian|keto|teetotal(?:er|ler)?|lactose[- ]free|gluten[- ]free|halal|kosher"
_NATIONS_WORDS = (
    "american german italian french spanish english british chinese japanese korean indian canadian "
    "mexican russian polish dutch swedish norwegian danish finnish greek turkish irish scottish welsh "
    "portuguese brazilian australian austrian swiss belgian czech hungarian romanian bulgarian "
    "ukrainian egyptian nigerian kenyan african asian european arab persian iranian israeli jewish "
    "muslim christian catholic buddhist hindu thai vietnamese filipino indonesian malaysian "
    "singaporean taiwanese cantonese ok okay fine here sorry back done good sure tired happy sad "
    "afraid glad ready new not so just very really in on at from going trying looking feeling working "
    "getting having monday tuesday wednesday thursday friday saturday sunday mr mrs ms dr single "
    "married"
)
NATIONS = frozenset(_NATIONS_WORDS.split())
EVER = (
    r"(?:(?:every|each) (?:other |single |few |two |second )?(?:day|morning|afternoon|evening"
    r"|night|week|weekend|month|year|summer|winter|mon|tues|wednes|thurs|fri|satur|sun)|daily"
    r"|weekly|monthly|once|twice|most days|on (?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)days|on weekends|in the mornings?|in the evenings?|after work|before bed)"
)
"""How often."""
_FORMS: dict[str, str] = {
    "turn": "turn turns turned turning",
    "live": "live lives living",
    "lived": "lived",
    "worked": "worked",
    "move": "move moves moved",
    "moving": "moving",
    "grow up": "grew grow",
    "come": "come comes",
    "work": "work works working",
    "start": "start starts started began begun",
    "join": "joined",
    "leave": "left",
    "quit": "quit quits stopped",
    "give": "gave given",
    "adopt": "adopted",
    "drive": "drive drives",
    "study": "study studies studied studying",
    "major": "major majored majoring",
    "graduate": "graduate graduated",
    "learn": "learn learning learned learnt",
    "speak": "speak speaks spoken",
    "go": "go goes",
    "going": "going gonna",
    "plan": "plan plans planning planned",
    "intend": "intend",
    "like": "like likes love loves enjoy enjoys adore adores loved enjoyed liked",
    "want": "want wants wanna hope hopes aim",
    "prefer": "prefer prefers preferred",
    "hate": "hate hates dislike dislikes loathe loathes detest detests despise hated",
    "stand": "stand",
    "have": "have has 've got own's",
    "own": "own owns owned",
    "keep": "keep keeps",
    "buy": "buy bought purchased ordered",
    "sell": "sold",
    "lose": "lost",
    "eat": "eat eats drink drinks ate drank eating drinking",
    "touch": "touch touches",
    "smoke": "smoke smokes",
    "take": "take takes taking",
    "suffer": "suffer suffers",
    "diagnose": "diagnosed",
    "do": "do does doing",
    "usual": "run runs jog jogs swim swims walk walks cycle cycles climb climbs train trains practice practise "
    "meditate "
    "read reads cook cooks help helps volunteer teach teaches visit visits call sleep sleeps wake "
    "wakes meet meets watch watches",
    "play": "play plays playing",
    "decide": "decided",
    "choose": "chose chosen picked",
    "book": "booked reserved scheduled",
    "promise": "promised",
    "need": "need needs",
    "weigh": "weigh weighs",
    "earn": "earn earns make makes",
    "support": "support supported supports",
    "marry": "married",
    "switch": "switched switch changed",
    "get": "got get",
}
LEMMAS = {form: lemma for lemma, forms in _FORMS.items() for form in forms.split()}
"""A verb as it stands -> its name in the table of verbs."""

PROMISES = (
    "call phone ring send pay visit meet buy fly travel move attend submit bring pick finish "
    "deliver book renew cook host marry graduate retire sell order "
    "return arrive leave drive join present sign email write print repair fix invite collect "
    "cancel transfer register apply"
)
"""What somebody who says "will" and "must" has promised."""
