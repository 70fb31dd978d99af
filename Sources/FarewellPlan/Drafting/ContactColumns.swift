// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that hold an e-mail address or a telephone number, in tables that nothing links to the subject.
struct ContactColumns {
    /// The content of a column.
    enum Kind { case email, phone }

    private let subject: SubjectRoot
    /// The subject's own address and number.
    let own: [Kind: ColumnName]
    /// Columns whose values are never those of two subjects: only then rows with a value are the subject's.
    let unique: Set<ColumnName>
    /// Columns that the database could keep unique.
    private let possible: Set<ColumnName>
    /// The addresses that the database compares letter by letter, although people and apps write them in any case.
    private let exact: Set<ColumnName>

    /// - Parameter places: Tables with one row for each subject, the subject's first.
    init(subject: SubjectRoot, places: [TableName], _ map: SchemaMap) {
        self.subject = subject
        var own: [Kind: ColumnName] = [:]
        for column in places.compactMap({ map[$0] }).flatMap({ table in table.columns.map { (table.name, $0) } }) {
            guard let kind = Self.kind(column.1), !column.1.isGenerated, !column.1.isIncomparable else { continue }
            let found = ColumnName(column.0, column.1.name)
            if let known = own[kind], known.table != found.table || !Self.isBetter(found, than: known, map) { continue }
            own[kind] = found
        }
        self.own = own
        unique = Set(own.values.filter { Self.isUnique($0, map) })
        possible = Set(own.values.filter { map[$0.table]?.canBeUnique([$0.column]) == true })
        exact = Set(
            own.values.filter { place in
                map.column(place.table, place.column).map { Self.areAddresses($0, $0, of: subject, map) } ?? false
            })
    }

    /// Whether a column repeats e-mail addresses that the database compares letter by letter. The subject's own key is
    /// compared as it was given.
    static func areAddresses(
        _ column: SchemaColumn, _ own: SchemaColumn, of subject: SubjectRoot, _ map: SchemaMap
    ) -> Bool {
        let isPlain = own.kind == .text && own.looseEquality == nil && kind(own) == .email
        return isPlain && column.kind == .text && column.labels == nil
            && map.column(subject.table, subject.key).flatMap { kind($0) } != .email
    }

    /// The link of a column with addresses to the subject's own address.
    func link(_ column: String, to own: ColumnName, where condition: LinkCondition = LinkCondition()) -> Link {
        Link(
            columns: [column], target: own.table, targetColumns: [own.column], condition: condition,
            ignoresCase: exact.contains(own))
    }

    /// Whether a column rather holds the address by which a user is known: a unique one, then one called nothing else.
    private static func isBetter(_ column: ColumnName, than other: ColumnName, _ map: SchemaMap) -> Bool {
        func rank(_ column: ColumnName) -> Int {
            (isUnique(column, map) ? 2 : 0) + (PersonNames.words(column.column).count == 1 ? 1 : 0)
        }
        return rank(column) > rank(other)
    }

    private static func isUnique(_ column: ColumnName, _ map: SchemaMap) -> Bool {
        map.isUnique([column.column], in: column.table)
            || VendorProfile.all.contains { $0.users?.isUnique(column) == true && $0.isHere(map) }
    }

    private static let emails: Set<String> = ["email", "emails", "mail", "emailaddress", "mailaddress", "emailaddr"]
    private static let phones: Set<String> = [
        "phone", "mobile", "telephone", "phonenumber", "mobilenumber", "cellphone", "msisdn", "tel",
    ]

    /// Words after an address that say which side of a message has it: `email_to`, `mail_from`.
    static let sides: Set<String> = ["to", "from", "cc", "bcc"]

    static func kind(_ column: SchemaColumn) -> Kind? {
        guard column.kind == .text || column.looseEquality != nil, column.labels == nil else { return nil }
        return kind(PersonNames.words(column.name))
    }

    /// Words of tables whose `identifier` is the address that a person proves: `VerificationToken`, `login_attempts`.
    private static let proofs: Set<String> = [
        "verification", "verify", "confirmation", "magic", "passwordless", "otp", "reset", "recovery", "challenge",
        "attempt", "login", "lockout",
    ]
    /// Words of tables with one row for each message, and names of columns there that hold its receiver.
    private static let mails: Set<String> = ["mail", "email", "sms", "newsletter", "outbox", "mailing", "notification"]
    static let receivers: Set<String> = ["destination", "recipient", "receiver", "addressee"]

    /// The same, also by the table's name: `verification.identifier`, `email_logs.destination`, `sms.sent_to`.
    static func kind(_ column: SchemaColumn, of table: TableName) -> Kind? {
        if let kind = kind(column) { return kind }
        guard column.kind == .text, column.labels == nil else { return nil }
        let words = PersonNames.words(column.name)
        let nouns = Set(PersonNames.words(table.name).map(EnglishNoun.singular))
        let isProven = words == ["identifier"] && !nouns.isDisjoint(with: proofs)
        let isReceiver = words.last.map { receivers.contains($0) || $0 == "to" } ?? false
        guard isProven || isReceiver && !nouns.isDisjoint(with: mails) else { return nil }
        return nouns.contains("sms") ? .phone : .email
    }

    /// `cc` and `bcc` of a mail.
    static func isCopy(_ column: SchemaColumn, of table: TableName) -> Bool {
        column.kind == .text && column.labels == nil && ["cc", "bcc"].contains(column.name.lowercased())
            && PersonNames.words(table.name).contains { mails.contains(EnglishNoun.singular($0)) }
    }

    /// By the words of a name.
    static func kind(_ name: [String]) -> Kind? {
        var words = name
        if words.count > 1, let last = words.last, sides.contains(last) { words.removeLast() }
        if words.count > 1, let last = words.last, ["address", "addr", "number", "no", "nr"].contains(last) {
            words.removeLast()
        }
        guard let last = words.last else { return nil }
        if emails.contains(last) || last == "mail" || words.suffix(2) == ["e", "mail"] { return .email }
        return phones.contains(last) ? .phone : nil
    }

    /// The question about a column of rows that stay without their link to the subject; `nil` if it holds no address
    /// or number, or the subject has none to compare it with.
    func question(staying column: SchemaColumn, of table: SchemaTable) -> PlanQuestion? {
        guard let kind = Self.kind(column, of: table.name), let own = own[kind], own.table != table.name,
            !column.isIncomparable
        else { return nil }
        let what = Self.plural(kind)
        let there = Shown.line(own.description, limit: 160)
        let kept = "\(Shown.line(column.name, limit: 80)) contains \(what), and an erasure keeps the rows; "
        guard unique.contains(own) else {
            return PlanQuestion(
                table: table.name, columns: [column.name],
                reason: kept + "\(there) is not unique, so no link finds the subject's values; if they describe the "
                    + "subject, \(StayingColumns.owningLink), and give the table the rule anonymise.",
                answers: [.unrelated])
        }
        let link = link(column.name, to: own)
        let isPossible = LostValue(link, in: table).isPossible
        let effect =
            isPossible
            ? "reference: a value equal to the subject's \(there) is removed." : "some are the subject's \(there)."
        return PlanQuestion(
            table: table.name, columns: [column.name], reason: kept + effect, link: link,
            answers: isPossible ? [.reference, .owner, .unrelated] : [.unrelated, .owner, .reference])
    }

    /// Words for other persons than a row's own user.
    static let others: Set<String> = [
        "invitation", "invite", "invitee", "invited", "guest", "recipient", "receiver", "referral", "referred",
        "friend", "addressee", "shared", "cc", "bcc", "attendee", "signer", "signatory", "participant", "collaborator",
        "share", "subscriber", "contact", "lead", "prospect", "witness", "emergency", "beneficiary", "respondent",
    ]

    /// Whether a word means another person than the row's own user: `editor_email`, `recipient_phone`.
    static func isAnother(_ word: String) -> Bool {
        if others.contains(word) { return true }
        let role = PersonNoun.role(word)
        return role == .handler || role == .otherSide
    }

    /// Whether a column holds the address of another person than the row's own user, by its name.
    static func isOfAnother(_ column: SchemaColumn) -> Bool {
        kind(column) != nil && PersonNames.words(column.name).contains(where: isAnother)
    }

    /// Whether another address of a row may say whose it is: `from_email` beside `cc_email`.
    static func hasOwnAddress(_ table: SchemaTable, besides column: SchemaColumn) -> Bool {
        found(in: table).contains { $0.column.name != column.name && !isOfAnother($0.column) }
    }

    static func plural(_ kind: Kind) -> String { kind == .email ? "e-mail addresses" : "telephone numbers" }

    /// Whether a column can neither be emptied nor get the same value as in other rows: the value stays unless the row
    /// goes, which is about one person alone.
    static func isFixed(_ column: String, in table: SchemaTable) -> Bool {
        (table[column]?.isNullable != true || table.primaryKey.contains(column))
            && table.holdsEachOnce(column)
    }

    private static func found(in table: SchemaTable) -> [(column: SchemaColumn, kind: Kind)] {
        table.columns.compactMap { column in kind(column, of: table.name).map { (column: column, kind: $0) } }
    }

    /// The question about a table that rows of users name, such as a company: its rows may be several users', so that
    /// an equal address deletes none.
    func question(ofShared table: SchemaTable) -> PlanQuestion? {
        let found = Self.found(in: table)
        guard let first = found.first(where: { $0.kind == .email }) ?? found.first else { return nil }
        var question = question(staying: first.column, of: table)
        question?.answers.removeAll { $0 == .owner || $0 == .reference && first.column.isComputed }
        question?.add("rows of users refer to these rows, which may be several users'")
        return question ?? self.question(table)
    }

    private static let passwords: Set<String> = [
        "password", "passwd", "pwd", "passhash", "passwordhash", "hashedpassword", "encryptedpassword",
        "passworddigest", "cryptedpassword", "passwordencrypted", "hashpassword",
    ]

    static func holdsPasswords(_ table: SchemaTable) -> Bool {
        table.columns.contains { passwords.contains(PersonNames.words($0.name).joined()) }
    }

    /// The questions about a table with several addresses, such as the sender's and the receiver's. The first
    /// decides whose the rows are; the others may be addresses of other users.
    func questions(_ table: SchemaTable) -> [PlanQuestion] {
        guard let first = question(table) else { return [] }
        guard first.link != nil, let column = table[first.columns[0]], let kind = Self.kind(column, of: table.name),
            let own = own[kind]
        else { return [first] }
        let others = table.columns.filter { other in
            other.name != column.name && Self.kind(other, of: table.name) == kind && !other.isComputed
                && !other.isIncomparable && Self.forms.isDisjoint(with: PersonNames.words(other.name))
                && !PersonNames.words(other.name).contains(where: Self.others.contains)
        }
        let there = Shown.line(own.description, limit: 160)
        return [first]
            + others.map { other in
                PlanQuestion(
                    table: table.name, columns: [other.name],
                    reason: "\(Shown.line(other.name, limit: 80)) contains \(Self.plural(kind)), which may be those of "
                        + "another user than \(Shown.line(column.name, limit: 80)); reference: a value equal to the "
                        + "subject's \(there) is removed; owner: the row is deleted with that user.",
                    link: link(other.name, to: own),
                    answers: [.reference, .owner, .unrelated])
            }
    }

    /// Words for other forms of the same person's address.
    private static let forms: Set<String> = [
        "normalized", "normalised", "canonical", "unconfirmed", "pending", "lower", "new", "old", "secondary",
        "alternate", "alternative", "backup", "recovery", "verified", "raw", "hash", "hashed", "previous",
    ]

    /// The question about a table: whether its rows are those of the user with the same address.
    func question(_ table: SchemaTable) -> PlanQuestion? {
        let found = Self.found(in: table)
        guard let first = found.first(where: { $0.kind == .email }) ?? found.first else { return nil }
        let name = Shown.line(first.column.name, limit: 80)
        let what = Self.plural(first.kind)
        // Where no link finds a user by any of them, one question is about all: the sender's and the receiver's.
        let alike = found.filter { $0.kind == first.kind }.map(\.column.name)
        let contain =
            alike.count > 1
            ? "\(Shown.line(alike.joined(separator: ", "), limit: 160)) contain \(what)" : "\(name) contains \(what)"
        guard let own = own[first.kind], !first.column.isIncomparable else {
            return PlanQuestion(
                table: table.name, columns: alike,
                reason:
                    "\(contain), and nothing links these rows to "
                    + "\(Shown.line(subject.table.description, limit: 120)); "
                    + "if these are people, give the table a rule and a link instead of an answer.",
                answers: [.unrelated])
        }
        let there = Shown.line(own.description, limit: 160)
        guard unique.contains(own) else {
            return PlanQuestion(
                table: table.name, columns: alike,
                reason: "\(contain), and no key links these rows to a user; \(there) is not unique, so "
                    + "rows with an equal value may be another user's; if these are people, give the table a rule and "
                    + "a link by another column\(possible.contains(own) ? ", or make \(there) unique" : "").",
                answers: [.unrelated])
        }
        // `moderator_email`: the address of a person that only handles the row.
        let isOther = PersonNames.words(first.column.name).contains(where: PersonNoun.handles)
        let likely: [PlanQuestion.Answer] = isOther ? [.reference, .owner] : [.owner, .reference]
        // The contact address of an organisation is not the only thing about it.
        if GroupTables.isGroup(table.name), !first.column.isComputed {
            let link = link(first.column.name, to: own)
            return PlanQuestion(
                table: table.name, columns: [first.column.name],
                reason: "\(name) contains \(what), and several users may have such a row; reference: a value equal to "
                    + "the subject's \(there) is removed; owner: the row is deleted with that user.",
                link: link,
                answers: LostValue(link, in: table).isPossible
                    ? [.reference, .owner, .unrelated] : [.unrelated, .owner, .reference])
        }
        let isAccount = Self.holdsPasswords(table)
        let answers = (first.column.isComputed ? [.owner] : likely)
        return PlanQuestion(
            table: table.name, columns: [first.column.name],
            reason: "\(name) contains \(what), and no key links these rows to a user; "
                + "owner: they are deleted with the user that has the same \(there)"
                + (isAccount ? "; these are accounts with passwords of their own, such as those of the staff." : "."),
            link: link(first.column.name, to: own),
            answers: isAccount ? [.unrelated] + answers : answers + [.unrelated])
    }
}
