// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Nouns and verbs with which columns name people, and the meaning of each for the row.
enum PersonNoun {
    private static let owners: Set<String> = [
        "user", "owner", "author", "account", "member", "customer", "client", "person", "profile", "sender", "reporter",
        "follower", "buyer", "patient", "student", "subscriber", "guest", "player", "swiper", "blocker", "uploader",
        "actor", "visitor", "participant", "rider", "poster", "requester", "requestor", "subject", "holder", "uid",
        "applicant", "learner", "friend", "voter", "watcher", "commenter", "liker", "bidder", "borrower", "attendee",
        "registrant", "payer", "passenger", "traveller", "traveler", "viewer", "reader", "writer", "submitter",
        "respondent", "candidate", "employee", "shopper", "purchaser", "depositor", "listener", "signer", "signatory",
        "worker", "initiator", "caller", "donor", "contributor", "principal", "doer", "renter", "giver", "occupant",
        "resident", "pupil", "hirer", "usr", "claimant", "complainant", "plaintiff",
    ]
    /// They made the row, which often serves others too: a team, a project, a survey.
    private static let makers: Set<String> = ["creator", "founder", "host", "organizer", "organiser"]
    private static let otherSides: Set<String> = [
        "receiver", "recipient", "reported", "invitee", "invited", "followee", "followed", "following", "swiped",
        "blocked", "matched", "seller", "target", "addressee", "payee", "liked", "viewed", "muted", "mentioned",
        "lender", "winner", "loser", "speaker", "driver", "trainer", "teacher", "tutor", "mentor", "mentee", "coach",
        "doctor", "beneficiary", "contact", "callee", "partner", "taker", "referee", "spouse", "rentee", "opponent",
        "teammate", "colleague", "guardian", "physician", "nurse", "therapist", "mvp", "champion", "offender", "victim",
        "defendant", "ratee", "absentee",
    ]
    private static let handlers: Set<String> = [
        "editor", "moderator", "approver", "reviewer", "assignee", "assigner", "assignor", "operator", "admin", "agent",
        "manager", "handler", "granter", "grantor", "grantee", "updater", "modifier", "inviter", "resolver", "deleter",
        "remover", "closer", "checker", "verifier", "validator", "supervisor", "lead", "leader", "processor",
        "canceller",
        "canceler", "locker", "merger", "referrer", "referer", "sponsor", "auditor", "inspector", "escalator",
        "changer",
        "publisher", "revoker", "archiver", "banner", "suspender", "impersonator", "administrator", "maintainer",
        "supporter", "boss", "recruiter", "evaluator", "grader", "examiner", "rejecter", "confirmer", "completer",
        "witness", "deputy", "substitute", "delegate", "secretary", "clerk", "cashier", "chairperson", "whodunnit",
        "salesperson", "responsible", "authorizer", "authoriser", "endorser", "certifier", "deactivator", "activator",
        "redeemer", "rep", "representative", "coordinator", "registrar", "caseworker", "awarder", "captain", "judge",
        "umpire", "mod",
    ]
    /// By their endings these could be people, but in schemas they are things.
    private static let things: Set<String> = [
        "order", "number", "folder", "server", "provider", "layer", "parameter", "filter", "header", "footer", "offer",
        "letter", "newsletter", "chapter", "center", "character", "container", "cluster", "counter", "timer", "printer",
        "computer", "docker", "router", "trigger", "tracker", "scanner", "supplier", "carrier", "sensor", "color",
        "error", "vendor", "factor", "sector", "vector", "monitor", "mirror", "behavior", "tier", "paper", "identifier",
        "voucher", "transfer", "register", "master", "helper", "loader", "pointer", "cursor",
        "tensor", "door", "floor", "minor", "major", "connector", "adapter", "quarter", "meter", "parser",
        "reminder", "sticker", "slider", "marker", "render", "peer", "river",
        "weather", "gender", "calendar", "buffer", "charter", "roster", "other", "per", "over", "under", "after",
        "liner", "primer", "laser", "flavor", "indicator", "matter", "semester",
        "fee", "tree", "committee", "degree", "coffee", "employer", "transformer", "manufacturer", "producer",
        "wrapper", "scheduler", "twitter", "tester", "guarantee", "pedigree", "jubilee", "marquee", "decree", "levee",
    ]
    /// Endings of words for programs rather than people: `tokenizer`, `serializer`.
    private static let machines = ["izer", "iser", "yzer", "yser", "ifier"]
    private static let ownActs: Set<String> = [
        "uploaded", "posted", "written", "sent", "submitted", "owned", "authored", "requested", "placed",
        "booked", "purchased", "bought", "commented", "liked", "voted", "signed", "paid", "answered", "asked",
    ]
    private static let makersActs: Set<String> = ["created", "added", "registered", "started", "founded", "opened"]
    private static let otherActs: Set<String> = ["reported", "taken", "made", "recorded", "entered", "performed"]
    /// `sort_by`, `order_by`: no participle, or none of a subject.
    private static let plainActs: Set<String> = [
        "written", "sent", "taken", "made", "done", "given", "seen", "read", "paid", "sold", "run", "bought", "set",
        "shown", "chosen", "known", "drawn", "held", "led", "won",
    ]
    /// Further participles of irregular verbs.
    private static let irregularActs: Set<String> = [
        "quit", "cut", "put", "split", "shut", "hit", "lost", "kept", "met", "told", "left", "built", "brought",
        "caught", "found", "lent", "spent", "taught", "heard", "laid", "hung", "withdrawn", "hidden", "frozen",
        "broken", "forgiven", "overridden", "undone", "redone", "begun", "driven", "struck", "sworn", "torn", "thrown",
        "grown", "stolen", "spoken", "rewritten", "overwritten", "undertaken", "forbidden", "bound", "fed", "dealt",
    ]
    private static let notActs: Set<String> = [
        "sorted", "grouped", "ordered", "limited", "prefixed", "suffixed", "increased", "decreased",
        "multiplied", "divided", "separated", "filtered", "ranked", "stand", "nearby", "standby", "powered",
    ]
    /// Verbs and abbreviations that columns write instead of participles: `create_by`, `upd_user`. Not those of
    /// deadlines, such as `submit_by`.
    private static let verbs: [String: String] = [
        "create": "created", "add": "added", "insert": "inserted", "ins": "inserted", "update": "updated",
        "upd": "updated", "modify": "modified", "mod": "modified", "edit": "edited", "change": "changed",
        "delete": "deleted", "del": "deleted", "remove": "removed", "approve": "approved", "assign": "assigned",
        "handle": "handled", "lock": "locked", "upload": "uploaded", "comment": "commented", "like": "liked",
        "invite": "invited", "ban": "banned", "block": "blocked", "author": "authored", "register": "registered",
        "input": "entered", "entry": "entered", "write": "edited",
    ]
    /// Words for things given to a person: `shared_with`, `sent_to`.
    private static let gifts: Set<String> = [
        "shared", "sent", "given", "issued", "lent", "awarded", "offered", "addressed", "delivered", "granted", "sold",
        "paid", "transferred", "visible", "share", "grant", "award", "known", "returned", "handed", "entrusted",
    ]
    /// Words for a subject's tasks: `assigned_to`.
    private static let tasks: Set<String> = [
        "assigned", "delegated", "reassigned", "escalated", "allocated", "assign", "delegate", "reassign", "escalate",
        "allocate",
    ]
    /// Words before a noun for a user that only handles the row: `modified_user_id`, `responsible_person_id`.
    private static let handling: Set<String> = [
        "modified", "modifying", "updated", "updating", "edited", "editing", "changed", "changing", "approving",
        "reviewing", "handling", "responsible", "moderating", "resolving", "managing", "supervising", "assigning",
        "granting", "inviting", "approval", "review", "support", "staff",
    ]
    /// Words that name, with nothing but the ending of a key, an end of what passes between two: `from_id`, `to_id`.
    static let ends: Set<String> = ["from", "to", "for", "by", "cc", "bcc"]
    /// Endings of words for what passes between people.
    private static let exchanges = [
        "mail", "message", "msg", "dm", "letter", "chat", "call", "whisper", "conversation", "gift", "transfer",
        "payment", "tip", "invitation", "invite", "friendship", "friend", "follow", "block", "poke", "match",
        "greeting", "thank",
    ]
    /// Nouns that often name a table of their own instead of people who sign in.
    static let tables: Set<String> = [
        "account", "client", "customer", "member", "profile", "person", "contact", "subscriber", "patient", "student",
        "player", "guest", "agent", "subject", "employee", "partner", "participant", "target", "principal", "candidate",
        "coach", "driver", "host", "doctor", "teacher", "publisher", "supporter", "author",
    ]

    /// The meaning of a singular noun for the rows of a table whose key it names.
    static func role(_ noun: String) -> PersonNames.Role? {
        if owners.contains(noun) { return .owner }
        if makers.contains(noun) { return .maker }
        if otherSides.contains(noun) || isJoint(noun) { return .otherSide }
        return handlers.contains(noun) ? .handler : nil
    }

    /// Whether a noun names a person who is something together with another one: `coauthor`, `cofounder`.
    static func isJoint(_ noun: String) -> Bool {
        guard noun.hasPrefix("co") else { return false }
        let rest = String(noun.dropFirst(2))
        return owners.contains(rest) || makers.contains(rest) || handlers.contains(rest)
    }

    private static let leaders: Set<String> = [
        "instructor", "teacher", "tutor", "trainer", "lecturer", "coach", "host", "speaker", "presenter", "organizer",
        "organiser", "leader", "moderator", "facilitator",
    ]

    /// Whether a person leads an event or a course, in which others take part.
    static func leads(_ noun: String) -> Bool { leaders.contains(noun) }

    private static let temporary: Set<String> = ["occupant", "borrower", "renter", "hirer", "resident"]
    private static let uses: Set<String> = [
        "loan", "rental", "lease", "hire", "booking", "reservation", "stay", "tenancy", "checkout", "occupancy",
    ]

    /// Whether a person only has a row of a table for a time: the occupant of a bed, not the borrower of a loan.
    static func hasForATime(_ noun: String, _ table: TableName) -> Bool {
        temporary.contains(noun) && !NameWords.of(table.name).contains { uses.contains(EnglishNoun.singular($0)) }
    }

    private static let honoured: Set<String> = ["winner", "loser", "champion", "mvp", "referee"]

    /// Whether a noun names a person by the result or the office in an event, such as a match between others.
    static func isOfEvent(_ noun: String) -> Bool { honoured.contains(noun) }

    /// For a table's noun, the persons who write its rows: a reviewer writes a review.
    private static let writers: [String: Set<String>] = [
        "review": ["reviewer"], "rating": ["rater", "reviewer"], "testimonial": ["reviewer"], "edit": ["editor"],
        "revision": ["editor"],
    ]

    /// Whether a person wrote rows of a table named after a noun: the reviewer those of `reviews`.
    static func wrote(_ person: String, _ noun: String) -> Bool { writers[noun]?.contains(person) ?? false }

    private static let writings: Set<String> = [
        "comment", "message", "post", "reply", "note", "review", "answer", "question", "story", "article", "letter",
        "thought", "journal", "entry", "diary", "poem", "recipe", "tweet", "status", "remark", "response", "feedback",
        "testimonial", "reaction", "rating", "vote", "submission", "annotation", "memo",
    ]

    /// Whether the rows of a table are what people write: comments, messages. Their maker is their author.
    static func isWriting(_ table: TableName) -> Bool {
        NameWords.of(table.name).last.map { writings.contains(EnglishNoun.singular($0)) } ?? false
    }

    /// Whether a word before a noun for a user says that this user only handles the row.
    static func handles(_ word: String) -> Bool {
        handlers.contains(word) || tasks.contains(word) || handling.contains(word)
    }

    private static let listed: Set<String> = [
        "tagged", "shared", "muted", "banned", "kicked", "seen", "invited", "blocked", "liked", "disliked", "followed",
        "viewed", "mentioned", "reported", "subscribed", "voted", "upvoted", "downvoted", "attended", "attending",
        "joined", "accepted", "declined", "notified", "assigned", "cc", "bcc", "likes", "dislikes", "upvotes",
        "downvotes", "votes", "following", "mentions", "approvals", "approved", "endorsements", "rsvps",
    ]

    /// Whether a word says what users did or got who are listed under it: `tagged`, `likes`, `cc`.
    static func isListed(_ words: [String]) -> Bool { words.count == 1 && listed.contains(words[0]) }

    /// Whether the words before a noun for users say what they did or got: `mentioned`, `liked by`, `shared with`.
    static func tellDeed(_ words: [String]) -> Bool {
        guard words.count == 2 else { return isListed(words) }
        return words[1] == "by"
            ? role(ofAct: words[0]) != nil
            : ["to", "with"].contains(words[1]) && role(ofGift: words[0]) != nil
    }

    /// Participles of what is done for a person, or to one.
    private static let received: Set<String> = [
        "billed", "charged", "invoiced", "refunded", "credited", "booked", "ordered", "reserved", "requested",
        "purchased", "bought", "prescribed", "verified", "approved", "created", "made", "signed", "issued", "rented",
        "leased", "loaned", "gifted", "licensed", "owed", "hired", "registered", "recommended", "dedicated", "intended",
        "reimbursed", "authorized", "authorised",
    ]

    /// Whether a name says that something was done for a person or to one: `verified_for`, `billed_to`.
    static func receives(_ words: [String]) -> Bool {
        words.count == 2 && received.contains(words[0]) && ["for", "to"].contains(words[1])
    }

    /// Words before `to` in names of columns for a person who gets or pays for goods: `bill_to`.
    private static let trading: Set<String> = ["bill", "invoice", "ship", "shipped", "deliver", "delivered", "sold"]

    /// Whether a text of this name is probably the name of a person: `billed_to`, `ship_to`.
    static func isReceiver(_ words: [String]) -> Bool {
        words.count == 2 && words[1] == "to" && (received.contains(words[0]) || trading.contains(words[0]))
    }

    private static let far: Set<String> = [
        "client", "guest", "contact", "partner", "principal", "publisher", "supporter", "worker", "caller", "subject",
    ]

    /// Words before a noun for a user of another service than the app: `bot_user_id`, `stripe_customer_id`.
    private static let outside: Set<String> = [
        "bot", "stripe", "slack", "discord", "github", "gitlab", "telegram", "twitter", "facebook", "instagram",
        "linkedin", "shopify", "paypal", "paddle", "braintree", "hubspot", "salesforce", "zendesk", "intercom",
        "mailchimp", "twilio", "zoom", "jira", "notion", "external", "remote", "foreign", "vendor", "provider",
        "thirdparty", "legacy", "revenuecat", "mollie", "chargebee", "recurly", "lemonsqueezy", "razorpay", "whatsapp",
    ]

    /// Whether a word says that the noun after it means users of another service.
    static func isOutside(_ word: String) -> Bool { outside.contains(word) }

    /// Whether a noun often means a program, a firm or people without an account, where no table is named after it.
    static func isFar(_ noun: String) -> Bool { far.contains(noun) }

    /// Whether a word of a table's name is one for what passes between people: `dmails`, `messages`.
    static func isExchange(_ word: String) -> Bool {
        let noun = EnglishNoun.singular(word)
        return exchanges.contains { noun == $0 || $0.count > 3 && noun.hasSuffix($0) }
    }

    /// Whether a word names an acting person by its ending: `stargazer`, `curator`.
    static func soundsLikeDoer(_ noun: String) -> Bool {
        guard noun.count > 4, !things.contains(noun), !machines.contains(where: noun.hasSuffix) else { return false }
        return noun.hasSuffix("er") || noun.hasSuffix("or") || noun.hasSuffix("ee")
    }

    /// Further nouns for acting people, beside the ending of the word.
    private static let doers: Set<String> = [
        "accompanist", "accountant", "actress", "adviser", "advisor", "ally", "anaesthetist", "analyst", "answerer",
        "archivist", "asker", "assessor", "attendant", "attorney", "babysitter", "buddy", "kin", "patron", "specialist",
        "backer", "barber", "bartender", "blocker", "booker", "bookkeeper", "broker", "cameraman", "caregiver", "carer",
        "causer", "cellist", "challenger", "chaperone", "chef", "chemist", "collaborator", "commander", "competitor",
        "composer", "consultant", "counsellor", "counselor", "courier", "creditor", "curator", "custodian", "dealer",
        "debtor", "dentist", "designer", "developer", "dietitian", "director", "dispatcher", "drummer", "engineer",
        "executor", "facilitator", "fan", "flagger", "freelancer", "gamer", "goalkeeper", "goalscorer", "groomer",
        "guarantor", "ignorer", "illustrator", "instructor", "interpreter", "interviewer", "investigator", "investor",
        "invigilator", "issuer", "journalist", "keeper", "landlord", "lawyer", "lecturer", "lessor", "librarian",
        "linesman", "mediator", "midwife", "nanny", "narrator", "nominator", "notary", "officer", "optician",
        "paramedic", "performer", "pharmacist", "photographer", "physio", "physiotherapist", "pianist", "planner",
        "pledger", "presenter", "proctor", "professor", "programmer", "proposer", "psychologist", "pusher",
        "questioner", "rater", "researcher", "responder", "scorekeeper", "scorer", "seeker", "sharer", "singer",
        "sitter", "stargazer", "streamer", "striker", "stylist", "surgeon", "surveyor", "tagger", "technician",
        "thanker", "timekeeper", "tipper", "trader", "translator", "vet", "videographer", "volunteer", "waiter",
        "warden", "architect", "athlete", "celebrant", "chairman", "chairwoman", "detective", "flatmate",
        "foreman", "gardener", "heir", "housemate", "husband", "inmate", "janitor", "juror", "mechanic", "musician",
        "neighbour", "paralegal", "pastor", "pilgrim", "pilot", "copilot", "plumber", "policyholder",
        "priest", "prisoner", "rabbi", "roommate", "salesman", "saleswoman", "scholar", "seconder", "sergeant",
        "shareholder", "sibling", "soldier", "steward", "stewardess", "suspect", "treasurer", "trustee", "veteran",
        "wife",
    ]
    /// Words in `…ist` that name no person, beside those for lists.
    private static let notPeople: Set<String> = [
        "assist", "consist", "persist", "resist", "insist", "enlist", "desist", "exist", "coexist", "subsist",
    ]
    /// Persons in `…list`.
    private static let inList: Set<String> = ["cyclist", "finalist", "novelist", "panelist", "vocalist"]

    private static let collectives: Set<String> = [
        "bench", "lineup", "roster", "squad", "crew", "cast", "jury", "entourage",
    ]

    /// Whether a noun means several people: `bench`, `crew`.
    static func isCollective(_ noun: String) -> Bool { collectives.contains(noun) }

    private static let teaching: Set<String> = [
        "timetable", "lesson", "curriculum", "syllabus", "homework", "exam", "class", "classroom", "course", "grade",
        "lecture", "school", "teacher", "semester", "student", "pupil", "tutor", "textbook", "quiz", "homeroom",
    ]

    /// Whether a subject is what a school teaches, by the words of its table and of the columns beside it.
    static func isTaught(_ noun: String, in table: SchemaTable) -> Bool {
        guard noun == "subject" else { return false }
        return ([table.name.name] + table.columns.map(\.name)).contains { name in
            NameWords.of(name).contains { teaching.contains(EnglishNoun.singular($0)) }
        }
    }

    /// Whether a noun is one of these, or ends as only nouns for people do: `columnist`, `interviewee`.
    static func acts(_ noun: String) -> Bool {
        if doers.contains(noun) || inList.contains(noun) { return true }
        guard noun.count > 5 else { return false }
        if noun.hasSuffix("ee") { return role(noun) == nil && soundsLikeDoer(noun) }
        return noun.hasSuffix("ist") && !noun.hasSuffix("list") && !notPeople.contains(noun)
    }

    /// Whether nothing but its ending says that a noun may mean a person: `elevator`, `successor`. Hardly a thing is
    /// named in `…ee`.
    static func onlySoundsLikeDoer(_ noun: String) -> Bool {
        role(noun) == nil && soundsLikeDoer(noun) && !doers.contains(noun) && !noun.hasSuffix("ee")
    }

    /// The meaning of `…ed to` and `…ed with` for the row; `nil` for words that are no act.
    static func role(ofGift gift: String) -> PersonNames.Role? {
        // `reports_to` names the superior.
        if tasks.contains(gift) || gift == "reports" { return .handler }
        return gifts.contains(gift) ? .otherSide : nil
    }

    /// The meaning of `…ed by` for the row; `nil` for words that are no act.
    static func role(ofAct word: String) -> PersonNames.Role? {
        // `signed off` is not signed.
        if let end = word.utf8.firstIndex(of: UInt8(ascii: " ")) {
            return role(ofAct: String(word[..<end])).map { _ in .handler }
        }
        let act = verbs[word] ?? word
        if ownActs.contains(act) { return .owner }
        if makersActs.contains(act) { return .maker }
        if otherActs.contains(act) { return .otherSide }
        guard !notActs.contains(act) else { return nil }
        let isParticiple = act.hasSuffix("ed") && act.count > 3 || plainActs.contains(act)
        return isParticiple || irregularActs.contains(act) ? .handler : nil
    }
}
