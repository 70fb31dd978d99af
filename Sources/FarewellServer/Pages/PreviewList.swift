// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// A preview in words for users.
struct PreviewList {
    let going: [[String: String]]
    let staying: [[String: String]]

    init(_ preview: Preview, _ words: PageWords) {
        let places = preview.places.filter { $0.count > 0 }
        var counts: [String: Int] = [:]
        for place in places where place.rule.erasesRows { counts[Self.name(place, words), default: 0] += place.count }
        going = counts.sorted { $0.key < $1.key }.map { ["place": $0.key, "count": String($0.value)] }
        staying = places.filter { $0.rule.rowsStay }.map { place in
            var row = [
                "place": Self.name(place, words), "count": String(place.count),
                "reason": place.rule.retention?.reason ?? words["anonymised"],
            ]
            row["until"] = place.until.map { place.isOver ? words("untilIsOver", "date", "\($0)") : "\($0)" }
            return row
        }
    }

    /// The plan's name in the language of the page, or the table's in readable form.
    private static func name(_ place: Preview.Place, _ words: PageWords) -> String {
        if let label = place.labels[words.copy.language] ?? place.label { return label }
        let table = place.place.hasPrefix("auth.") ? "auth_" + place.place.dropFirst("auth.".count) : place.place
        return ownTables[table].map { words[$0] } ?? name(place.place)
    }

    /// The words for the tables of the sign-in: the authority's, and Supabase's.
    static let ownTables = [
        "auth_users": "placeUsers", "auth_identities": "placeIdentities", "auth_sessions": "placeSessions",
        "auth_known_sources": "placeSources", "auth_one_time_codes": "placeCodes",
        "auth_one_time_tokens": "placeCodes", "auth_authorization_codes": "placeCodes",
        "auth_outgoing_mail": "placeMail",
        "auth_provider_credentials": "placeCredentials", "auth_declined_sign_ups": "placeSignUps",
        "auth_console_sessions": "placeSessions", "auth_revocations": "placeEnded",
    ]

    /// `public.context_profiles` in readable form: `Context profiles`; `auth_users` is `Users`.
    static func name(_ place: String) -> String {
        let last = place.split(separator: ".").last.map(String.init) ?? place
        let words = last.replacing(#/^auth_/#, with: "").replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    static func step(_ name: String, _ words: PageWords) -> String {
        switch name {
        case "rows": words["stepRows"]
        case "identity": words["stepIdentity"]
        case _ where StepPlace(step: name) == .files: words["stepFiles"]
        default: words["stepOther"]
        }
    }
}
