"""English words that tell what a name is, and words with a capital that are no names."""

from __future__ import annotations

from jiyi.rules.english_words import ADVERBS, LEMMAS, NATIONS, NEGATIONS, OCCUPATIONS, RELATIONS


def several(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


_ENDINGS = {
    "organisation": (
        "inc ltd llc llp plc gmbh ag corp corporation company co authority university bank institute college school "
        "hospital clinic labs lab group foundation association agency ministry department council committee society "
        "union airlines airways technologies partners solutions consulting insurance logistics robotics software "
        "pharma pharmaceuticals pharmacy motors energy studios capital ventures holdings press academy bureau "
        "federation commission board trust charity brewery bakery restaurant cafe hotel supermarket systems networks "
        "industries enterprises services laboratories analytics electronics dynamics records semiconductor"
    ),
    "place": (
        "street avenue road lane square park river lake mountain mountains beach airport station island islands valley "
        "city county bay bridge hill hills forest village town harbour harbor boulevard plaza canyon desert falls"
    ),
    "project": "project initiative",
}
ENDINGS = {word: type_ for type_, words in _ENDINGS.items() for word in words.split()}
"""Last word of a name -> what it is."""

EPITHETS = several(
    "red blue green black white brown yellow orange pink grey gray golden silver big high low old new young open clear "
    "bright free deep north south east west northern southern eastern western grand royal sun moon star snow rain sea "
    "river forest mountain lake park summer winter light power energy data health life world home family city project "
    "central general national international global united first"
)
"""Ordinary words with which a name may begin."""

JOINS_OF = several(
    "bank university ministry department institute college school academy board bureau council house museum "
    "society office church court duke duchess king queen prince princess city isle bay gulf lord game temple tower "
    "republic kingdom cliffs isles states centre center association federation league order hospital faculty"
)
"""What "of" may follow within a name."""

TITLES = several("mr mrs ms miss dr prof professor sir madam dame pastor rabbi captain sergeant judge")
"""What stands before the name of a person."""

_KINDS = {
    "project": "project projects initiative programme",
    "organisation": (
        "company firm startup start-up agency bank insurer university school hospital clinic organisation organization "
        "supplier vendor manufacturer contractor charity college band publisher employer subsidiary competitor "
        "distributor carrier consultancy airline retailer"
    ),
    "technology": (
        "language framework library database tool stack package orm protocol compiler runtime technology api sdk "
        "programming-language web-framework"
    ),
    "product": "device machine model app product drug medicine medication game laptop phone camera printer",
    "place": "city town village country island suburb neighbourhood neighborhood state region",
    "person": (
        "man woman guy girl boy lady person friend colleague coworker neighbour neighbor student intern developer "
        "engineer author writer artist singer poet actor director manager founder programmer"
    ),
    "animal": "dog cat puppy kitten hamster rabbit parrot horse pony tortoise turtle goldfish pet",
}
KINDS = {word: type_ for type_, words in _KINDS.items() for word in words.split()}
"""A noun beside a name ("the project X", "a company called X", "the X framework") -> what it is."""

AFTER = several(
    "project initiative programme app framework library language database package team company startup firm "
    "organisation organization"
)
"""Nouns that stand behind the name of what they are: "the Starling project"."""

TECHNOLOGIES = several(
    "python java javascript typescript rust go golang kotlin swift ruby php perl scala haskell elixir erlang clojure "
    "julia lua dart zig fortran cobol matlab sql postgresql postgres mysql mariadb sqlite mongodb redis cassandra "
    "elasticsearch opensearch kafka rabbitmq nats neo4j duckdb clickhouse snowflake bigquery dynamodb firebase "
    "supabase django flask fastapi starlette pyramid tornado rails sinatra laravel symfony spring express node.js "
    "nodejs node next.js nextjs nuxt react vue angular svelte jquery tailwind bootstrap flutter electron unity "
    "godot docker kubernetes terraform ansible nginx apache jenkins git github gitlab linux ubuntu debian android "
    "ios windows macos numpy pandas pytorch tensorflow keras scikit-learn spark hadoop airflow dbt graphql grpc "
    "webassembly wasm qt sqlalchemy pydantic celery gunicorn uvicorn vite webpack babel c c++ c# f# r html css "
    "arduino raspberry-pi opencv langchain ollama llama.cpp figma notion slack jira excel aws azure gcp heroku "
    "vercel netlify cloudflare htmx solidity ethereum prisma hibernate quarkus ktor asp.net .net dotnet"
)

_TIMES = (
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays "
    "sundays january february march april may june july august september october november december jan feb mar apr "
    "jun jul aug sept sep oct nov dec mon tue tues wed thu thur thurs fri sat sun spring summer autumn fall winter "
    "christmas easter halloween thanksgiving new-year ramadan diwali hanukkah xmas valentine"
)
_GENERIC = (
    "i i'm i'd i've i'll im ive ill ok okay tv am pm ai api apis pdf pdfs csv json xml url urls ui ux pc pcs cpu gpu "
    "ram usb id ids phd mba ba bsc msc ceo cto cfo coo cio vp svp evp faq eta asap fyi kpi kpis roi mvp pr qa hr it "
    "vip diy gdp eur usd gbp cny rmb gps atm dna mri ct ecg ekg adhd ptsd ocd ivf covid covid-19 b2b b2c saas http "
    "https ssh ip tcp dns sms mms cv rsvp tbd tba aka ps p.s q1 q2 q3 q4 h1 h2 ngo ngos r&d u.s a.m p.m lol omg tbh "
    "btw idk imo imho fomo crm erp seo cms ide sdk orm ml nlp llm llms iot vr ar xr 2d 3d 4k hd dvd cd etc vs god "
    "internet wifi wi-fi web english mom mum dad mommy daddy grandma grandpa granny auntie uncle aunt hi hello hey "
    "thanks dear sir madam congrats happy merry wow yay oh ah haha hmm yeah yep nope sorry please yes no user users "
    "assistant user's team mt st ii iii iv vi vii xii bbq rpg npc pov dm dms gym usa's ev evs bmi led hdmi lcd pin "
    "otp kyc vat gst hoa apr aprs ira iras 401k nda ndas sop sops sla slas okr okrs poc pocs mr mrs ms dr prof a b c "
    "d e f g h j k l m n o p q r s t u v w x y z mid pre post non anti ex re co part phase step section chapter "
    "version figure table appendix week day month year stage level grade round page question option item task ac rv "
    "rvs suv suvs pto wfh rpgs woah whoa aw aww ugh yikes phew damn gosh wee"
)
GENERIC = several(f"{_TIMES} {_GENERIC}") | NATIONS
"""Words and short forms with a capital that name nothing in particular."""

_FUNCTION = (
    "the a an and or but nor so yet if of to in on at for from with by as is are was were be been being not this that "
    "these those it its he she his her they their theirs we our ours you your yours my mine me him them us who whom "
    "whose which what when where why how here there then also too all any both each every everyone everything some "
    "someone something nothing nobody none one two three four five six seven eight nine ten many much most more few "
    "several other others another such while since because after before during until about around over under between "
    "although though despite unlike like per via according currently now today tomorrow yesterday tonight recently "
    "usually sometimes often always never once twice again still already soon later maybe perhaps only just even "
    "first second third last next finally lately meanwhile however instead besides overall anyway actually honestly "
    "apparently basically especially given considering regarding thank good great nice cool awesome amazing perfect "
    "interesting fun sounds looks seems feels makes let lets let's that's it's there's here's what's who's don't "
    "can't won't isn't didn't doesn't couldn't wouldn't whether either neither whatever whenever wherever whoever "
    "within without throughout across along against toward towards upon beyond behind above below near inside outside "
    "off out up down back away together apart alone ahead plus minus except including rather than same through among "
    "amongst onto into"
)
UNITS = (
    "accounting|accounts|marketing|sales|hr|it|finance|legal|engineering|support|purchasing|procurement|operations"
    "|logistics|design|security|payroll|work|school|church|college|university|upstairs|downstairs|next door"
    "|across the (?:street|road|hall)|gym|office|book club|neighbourhood|neighborhood|choir|team"
    "|(?:customer|tech|human) (?:service|support|resources)|research|quality|production|maintenance|the warehouse"
    "|reception|compliance|product"
)
"""Where somebody is from in "Tom from accounting", as an expression."""
UNIT_DOES = (
    "called(?! for)|calls|phoned|emailed|asked|asks|told|wants|wanted|thinks|sends|sent|handles|approved|approves"
    "|agreed|signed|replied|joined|pays|paid|checks|checked|keeps|prepares|reviews|reviewed|knows|married"
)
"""What only people do: behind "from accounting" it makes the word before a name."""
FUNCTION = several(_FUNCTION)
"""Words that belong to no name that they begin."""

_ORDINARY = (
    "can could will would shall should may might must do does did have has had get got go going goes went gone come "
    "came take took make made give gave put keep kept want wanted need needed know knew think thought feel felt see "
    "saw seen look looking find found use used using work works working worked start started begin began try tried "
    "ask asked tell told say said call called talk speak read write wrote written learn teach play run walk drive eat "
    "drink cook sleep wake buy bought sell sold pay paid spend spent save send sent bring brought meet met help "
    "helped show open close turn move moved live lived love loved hate enjoy enjoyed wish hope plan planned decide "
    "decided remember forget forgot believe agree budget deadline birthday meeting appointment flight hotel trip job "
    "home house flat apartment room kitchen garden family friend friends parent parents child children kid kids baby "
    "people person man men woman women guy girl boy boss manager colleague colleagues partner dog dogs cat cats pet "
    "pets car cars bike bus train plane phone laptop computer email mail message address name age rent salary price "
    "prices cost costs money cash total bill bills dinner lunch breakfast food meal coffee tea milk water beer wine "
    "bread cheese sugar meat fish chicken rice fruit school class course exam homework book books movie movies film "
    "music song art game games sport football soccer tennis yoga hiking running swimming party wedding gift doctor "
    "nurse medicine pain health weight diet exercise customer customers client clients order orders delivery parcel "
    "package password code number account card data server report contract invoice release version project projects "
    "task tasks idea ideas goal goals problem problems issue issues question questions answer answers thing things "
    "stuff way ways time times day days week weeks month months year years morning afternoon evening night weekend "
    "weather rain snow sun summer winter life world country city town street place places business company market "
    "team product service support system software website app feature design process training experience skill skills "
    "research science history language culture nature energy power peace luck success failure change progress step "
    "steps part parts side point reason result results example case fact story news traffic parking construction "
    "maintenance security privacy quality quantity size color colour red blue green black white brown yellow orange "
    "pink big small large little long short high low old new young early late fast slow hard easy hot cold warm dry "
    "wet full empty free busy sick tired happy sad best better worst worse right wrong true false sure clear ready "
    "able fine well testing marketing sales finance accounting engineering legal education communication leadership "
    "management therapy medication treatment insurance mortgage loan tax taxes credit debt savings investment "
    "retirement vacation holiday travel ticket tickets passport visa luggage museum beach mountain river lake park "
    "forest sea note notes update updates reminder summary list draft backend frontend database dashboard login yes "
    "no hi hello hey dear thanks thank please welcome sorry oh wow okay ok alright absolutely definitely exactly "
    "totally speaking talking thinking based due regardless quite very really pretty almost nearly hardly barely "
    "simply mostly mainly probably possibly certainly obviously clearly luckily fortunately unfortunately sadly "
    "hopefully personally generally normally typically originally initially eventually suddenly quickly slowly "
    "carefully checking reading writing morning's today's tomorrow's yesterday's everyone's someone's nobody's life's "
    "mom's dad's mother's father's resort soul workout losing pepper clause shot precious studio introduction master "
    "offers promise setbacks basketball garlic sushi civilization journey names snacks activities supervision "
    "allergies overtime act building maximum booking earth formation style campaign vibe wind companion nights "
    "minutes making store growing confidence mentors challenges tons finding hoping crossing intense trilogy chess "
    "sharing balance injury exams warrior bye bet safety hang animals plants fetch hiccups discovering pub failed law "
    "rhetoric conclusion hero auto plug payment scavenger record flashcards interaction scalability somewhere zones "
    "holistic topic share context nations territory indigenous hint present passion excellence selection longer staff "
    "trials stories epic special environment social governance generation mate evenings wash contacts apparel steal "
    "indeed aid active administration communities set load compute define statutory checklist matching return capital "
    "pricing transaction inventory supplier purchase procurement notification stability electronic valve permanent "
    "bush loop messages air routine upper lower type chocolate nail range labor mode layer route scientists scene "
    "compliment therefore markdown listen pond sky freedom strategy column requirements input output error warning "
    "chapter unit guys folks bro dude girls boys ladies gentlemen contracts overview background timeline scope stage "
    "western eastern northern southern latin mediterranean copper iron steel gold silver key brand subject executive "
    "guide aspects dance dragon star lab turkey frisbee technology society sunny snorkeling salsa panda elf squat "
    "gotta recite embarked traveler traveller contact tech unity titanic media production audio feedback memo"
)
ORDINARY = (
    FUNCTION
    | several(_ORDINARY)
    | GENERIC
    | ADVERBS
    | NEGATIONS
    | OCCUPATIONS
    | frozenset(RELATIONS)
    | frozenset(LEMMAS)
)
"""Words that have a capital only where a sentence begins."""
