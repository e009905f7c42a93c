"""Words that ask or connect and name nothing, for the languages most archives are in.

Short on purpose: articles, pronouns, auxiliaries, question words and the emptiest prepositions.
Words of place and time ("after linking") are no stop words: they are common, so they weigh little,
but they tell passages apart. Nor are "will", "may" and "us", which are nouns as well, or letters
that only stand before an apostrophe ("vitamin c and d"). The lists only ever take words out of a
query while others remain.
"""

from collections.abc import Iterable

_LISTS: dict[str, str] = {
    "en": (
        "a about all also am an and any are as at be because been being both but by can could"
        " did do does doing done each for from get had has have having he her him his how i if"
        " in into is it its itself me more most my no nor not of on onto or our ours shall she"
        " should so some such than that the their them then there these they this those"
        " through to too very was we were what whatever when where whether which while who whom"
        " whose why with within would you your yours i'm i've i'd it's that's what's where's"
        " who's how's don't doesn't didn't isn't aren't wasn't weren't can't couldn't shouldn't"
        " wouldn't won't there's let's"
    ),
    "de": (
        "aber als am an auch auf aus bei bin bis bist da damit das dass dem den der des die dies"
        " diese dieser dieses doch du durch ein eine einem einen einer eines er es für hat hatte"
        " habe haben ich ihr ihre im in ist ja kann kein keine können man mein meine mich mir mit"
        " nach nicht noch nur ob oder ohne sein seine sich sie sind so soll über um und uns unter"
        " vom von vor war waren warum was weil welche welcher welches wenn wer werden wessen wie"
        " wieso wir wird wo woher wohin worden wurde wurden zu zum zur zwischen"
    ),
    "fr": (
        "à ai as au aux avec c'est ce ces cet cette comment dans de des donc du elle elles en"
        " es est et été être eu faire fait il ils je la le les leur leurs lui ma mais"
        " me mes mon ne nos notre nous on ont ou où par pas plus pour pourquoi qu qu'est quand"
        " que quel quelle quelles quels qui quoi sa sans se ses si son sont sur ta te tes ton"
        " tu un une vos votre vous y"
    ),
    "es": (
        "a al ante aunque cada como cómo con contra cual cuál cuales cuáles cuando cuándo cuánto"
        " cuántos de del desde donde dónde el él ella ellas ellos en entre era es esa ese eso esta"
        " está este esto estos fue ha hay la las le les lo los más me mi muy no nos o para pero"
        " por porque qué que quien quién quiénes se ser si sí sin sobre son su sus también te tiene"
        " tu un una unas uno unos y ya yo"
    ),
    "it": (
        "a ad agli ai al alla alle anche che chi ci come con cosa da dal dalla degli dei del della"
        " delle di dove e è ed era gli ha hanno i il in io l la le lei lo loro lui ma mi nei nel"
        " nella non o per perché più qual quale quali quando quanti quanto questa questo se si"
        " sono su sul sulla suo sua tra un una uno"
    ),
    "pt": (
        "a ao aos as às com como da das de do dos e é ela ele eles em entre era essa esse está este"
        " eu foi há isso mais mas na não nas no nos o onde os ou para pela pelo por porque qual"
        " quais quando quanto que quem são se sem ser seu sua também tem um uma"
    ),
    "nl": (
        "aan als bij dat de den der deze die dit door een en er had heb hebben heeft het hij hoe ik"
        " in is je kan maar me met mijn naar niet nog of om ook op over te tot uit van voor waar"
        " waarom wanneer waren was wat we welk welke werd wie wij ze zich zijn"
    ),
    "sv": (
        "att av de den det du där en ett för från har hur i inte jag kan man med mot när och om på"
        " som till vad var varför vem vi vilka vilken vilket är"
    ),
    "pl": (
        "a ale bo by być co czy czym dla dlaczego do gdzie go i ich ile ja jak jaka jaki jakie jest"
        " jego jej już kiedy kto która które który ma na nad nie o od oraz po pod przez przy są"
        " się to tym w we z za ze że"
    ),
    "ru": (
        "а без более бы был была были было быть в вам во вот все вы где да для до его ее её если"
        " есть же за зачем и из или им их к как какая какие какой какое когда которая которые"
        " который кто ли между мне мы на над не него нет но о об он она они от по под почему при с"
        " со так такой там то только ты у уже чем через что чтобы чья чей эта эти это этот я"
    ),
    "uk": (
        "а або але без був була були було бути в вже ви від він вона вони все де для до є з за зі"
        " і із його її їх й коли ли між ми на над не ні о об під по при про та так такий там те ти"
        " то у хто це цей чи чим чому що щоб я як яка яке який які"
    ),
    "be": (
        "а або але аб ад без бо была былі было быў быць в вы гэта гэты гэтая гэтыя да дзе для ж з"
        " за зь і ім іх к калі каля каго каму колькі між мы на над не ні о па пад перад пра пры са"
        " так там то ты у ў хто ці чаго чаму чым што каб я ягоны яго як якая якія які якое яны ён"
        " яна яе ёсць"
    ),
}

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(listed.split()) for language, listed in _LISTS.items()
}
"""Stop words by ISO 639-1 code, casefolded."""


LEAST_FOREIGN = 2
"""Words that a language other than English must know before its list is used: one alone may be a
noun here ("die hard")."""


def likely_stop_words(words: Iterable[str]) -> frozenset[str]:
    """Return the stop words of the language that ``words`` are most likely in.

    The language is the one that knows most of the words as its own, English if in doubt. Only one
    list is used, since a stop word of one language is a noun of another ("die", "war", "on").
    """
    distinct = frozenset(words)
    likely = max(STOP_WORDS.values(), key=lambda listed: len(listed & distinct))
    return likely if len(likely & distinct) >= LEAST_FOREIGN else STOP_WORDS["en"]
