// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellClient
public import FarewellUI
public import SwiftUI

/// The user's sessions; each session but this device's can be ended (SE-8).
@MainActor
public struct SessionList: View {
    private let sessions: SessionListModel
    @Bindable private var account: AccountModel

    /// - Parameters:
    ///   - sessions: The list.
    ///   - account: Signs out everywhere else, or everywhere.
    public init(_ sessions: SessionListModel, account: AccountModel) {
        self.sessions = sessions
        self.account = account
    }

    public var body: some View {
        let copy = sessions.copy
        List {
            switch sessions.state {
            case .loading:
                ProgressView()
            case .failed(let text):
                Section {
                    Text(text).accessibilityIdentifier("sessionsProblem")
                    Button(copy[.tryAgain]) { load() }
                }
            case .loaded(let all):
                Section {
                    ForEach(all) { SessionRow($0, sessions) }
                }
                Section {
                    if account.offers(.others) {
                        Button(copy[.signOutOthers]) { account.askToSignOut(.others) }
                            .disabled(!account.isEnabled || all.count < 2)
                            .accessibilityIdentifier("othersButton")
                    }
                    if account.offers(.global) {
                        Button(copy[.signOutEverywhere], role: .destructive) { account.askToSignOut(.global) }
                            .disabled(!account.isEnabled)
                            .accessibilityIdentifier("everywhereButton")
                    }
                }
            }
        }
        .modifier(
            SignOutQuestion(account, isPresented: $account.isAskingElsewhere) {
                // The other sessions have ended; this device is still signed in.
                if account.lastAsked == .others, !account.isTelling { await sessions.load() }
            }
        )
        .modifier(SignOutFailure(account, isPresented: $account.isTellingElsewhere))
        .navigationTitle(copy[.sessions])
        .task { await sessions.load() }
        .refreshable { await sessions.load() }
    }

    private func load() { Task { await sessions.load() } }
}
#endif
