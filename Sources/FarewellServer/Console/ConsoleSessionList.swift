// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The operators who are signed in at the console, and the routes that end their sessions.
struct ConsoleSessionList: Sendable {
    let console: ConsolePages

    private static let root = ConsolePages.root + "/sessions"

    var all: [Route] { [list, end, endAll] }

    private var authority: SessionAuthority { console.pages.authority }

    private var list: Route {
        console.shown(Self.root) { visit in
            let sessions = try await values(for: visit)
            return visit.page("consoleSessions", "Sessions", ["consoleSessions": sessions], at: Self.root)
        }
    }

    /// The sessions as the console shows them; the one that looks is marked.
    private func values(for visit: ConsoleVisit) async throws -> [[String: Any]] {
        try await authority.consoleSessions(provider: console.provider).map { session in
            [
                "session": session.id.text, "who": session.name, "mayDo": session.role,
                "began": AccountPages.readable(session.beganAt), "ends": AccountPages.readable(session.endsAt),
                "isCurrent": session.id == visit.session?.id,
            ]
        }
    }

    private var end: Route {
        console.act(Self.root + "/end") { visit, actor in
            guard let id = UUID(text: visit.form["session"]),
                let ended = try await authority.consoleSessions(provider: console.provider).first(where: { $0.id == id }
                ),
                try await authority.endConsoleSession(id)
            else { return visit.onward(Self.root) }
            try await console.requests.note("console.session-ended", by: actor, details: ["operator": ended.name])
            return visit.onward(Self.root)
        }
    }

    private var endAll: Route {
        console.act(Self.root + "/end-all") { visit, actor in
            let count = try await authority.endConsoleSessions()
            try await console.requests.note("console.sessions-ended", by: actor, details: ["sessions": String(count)])
            return visit.onward(ConsolePages.root, setting: [.console: "", .visit: ""])
        }
    }
}
