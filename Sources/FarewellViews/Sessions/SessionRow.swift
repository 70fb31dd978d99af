// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellClient
import FarewellUI
import Foundation
import SwiftUI

/// One session: its device, when it was last seen, and how to end it.
@MainActor
struct SessionRow: View {
    private let session: ListedSession
    private let sessions: SessionListModel

    init(_ session: ListedSession, _ sessions: SessionListModel) {
        self.session = session
        self.sessions = sessions
    }

    var body: some View {
        let copy = sessions.copy
        let name = sessions.name(of: session)
        HStack {
            VStack(alignment: .leading, spacing: 4) {
                Text(name).font(.headline)
                if let detail = sessions.detail(of: session) { Text(detail).font(.footnote) }
                if session.isCurrent {
                    Text(copy[.thisDevice]).font(.footnote).accessibilityIdentifier("thisDevice")
                }
                if let seen = session.lastSeenAt {
                    Text(copy[.lastSeen]).font(.footnote).foregroundStyle(.secondary)
                    Text(seen, format: Date.FormatStyle(date: .abbreviated, time: .shortened, locale: locale))
                        .font(.footnote).foregroundStyle(.secondary)
                }
            }
            .accessibilityElement(children: .combine)
            Spacer()
            if !session.isCurrent {
                Button(copy[.endSession], role: .destructive) { Task { await sessions.end(session.id) } }
                    // Without a style a tap anywhere in the row would end the session.
                    .buttonStyle(.borderless)
                    .disabled(sessions.ending.contains(session.id))
                    .accessibilityLabel("\(copy[.endSession]): \(name)")
                    .accessibilityIdentifier("endSession-\(session.id)")
            }
        }
    }

    private var locale: Locale { Locale(identifier: sessions.copy.language) }
}
#endif
