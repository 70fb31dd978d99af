// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// How much the name of a key says about whose row it is: `user_id` names the owner, `uploader_id` and `requested_by`
/// tell what a user did.
enum OwnerName {
    /// Deeds, each with the nouns of tables whose rows are that deed. In any other table a row may be without the
    /// deed's user.
    private static let deeds: [String: Set<String>] = [
        "requested": ["request", "requisition"], "placed": ["order", "bid", "bet"],
        "booked": ["booking", "reservation"], "purchased": ["purchase", "order"], "bought": ["purchase", "order"],
        "asked": ["question", "request"], "signed": ["signature", "signing"],
        "answered": ["answer", "reply", "response"],
        "paid": ["payment", "payout", "expense"],
        "sent": [
            "mail", "email", "message", "letter", "gift", "invitation", "invite", "transfer", "payment", "dm", "reply",
            "request", "notification",
        ],
    ]
    private static let deedsOfDoers: [String: String] = [
        "requester": "requested", "requestor": "requested", "signer": "signed", "signatory": "signed", "payer": "paid",
    ]
    private static let doers: Set<String> = [
        "uploader", "poster", "submitter", "requester", "requestor", "initiator", "signer", "signatory",
        "payer", "caller",
    ]
    /// Deeds that make a row the doer's as much as the word owner.
    private static let owningDeeds: Set<String> = ["owned", "authored", "written"]
    /// Nouns for people that also name programs, places or the user's own account: `host_name`, `account_email`.
    private static let ambiguous: Set<String> = [
        "user", "account", "profile", "host", "target", "subject", "principal", "publisher", "operator", "banner",
        "agent", "driver", "author", "owner",
    ]
    private static let descriptions: Set<String> = [
        "name", "email", "mail", "phone", "mobile", "telephone", "address", "fullname", "birthdate",
    ]

    /// Whether a noun for people is one for programs, places or a user's own account as well.
    static func isAmbiguous(_ noun: String) -> Bool { ambiguous.contains(noun) }

    /// Whether rows of a table are what users do by a deed: answers are answered, bookings booked.
    static func isDeed(_ deed: String, ofTable noun: String) -> Bool { deeds[deed]?.contains(noun) ?? false }

    /// Whether a name for an owner only tells what the user did with the row, which may be another user's. A request
    /// belongs to the user who requested it, unless it names another person.
    static func isOpen(_ name: KeyName, in table: SchemaTable) -> Bool {
        let doer = name.act == nil && name.gift == nil && name.isKey ? deedsOfDoers[name.noun] : nil
        guard let deed = name.act ?? doer, deeds[deed] != nil else { return false }
        return !isDeed(deed, ofTable: PersonNames.noun(of: table.name)) || namesAnother(table)
    }

    /// Whether a name for an owner tells what the user did, so that a plainer name in the same row says more:
    /// `posted_by` and `uploader_id` beside `user_id`, `commander_user_id` beside `owner_id`.
    static func tellsDeed(_ name: KeyName) -> Bool {
        if let act = name.act { return !owningDeeds.contains(act) }
        if doers.contains(name.noun) { return true }
        guard name.words.count > 1, name.noun == "user", let before = name.words.dropLast().last else { return false }
        // The reporter of a row wrote it, beside a `user_id` that is reported.
        return doers.contains(before) || before == "reporter"
            || PersonNoun.role(before) == nil && PersonNoun.soundsLikeDoer(before)
    }

    /// Whether a column names the owner in plain words.
    static func isPlain(_ name: KeyName, in table: TableName) -> Bool {
        PersonNames.role(name, in: table) == .owner && !tellsDeed(name)
    }

    /// Whether a column describes a person other than the row's own user: `patient_name`, `customer_email`.
    static func namesAnother(_ table: SchemaTable) -> Bool {
        table.columns.contains { column in
            let words = PersonNames.words(column.name)
            guard column.kind == .text, column.labels == nil, words.count > 1, let last = words.last,
                descriptions.contains(last), !table.foreignKeys.contains(where: { $0.columns.contains(column.name) })
            else { return false }
            let noun = EnglishNoun.singular(words[words.count - 2])
            return PersonNoun.role(noun) != nil && !ambiguous.contains(noun)
        }
    }
}
