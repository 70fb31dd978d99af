// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellUI
import SwiftUI

/// Asks before signing out (SO-2), beside the control that was tapped.
@MainActor
struct SignOutQuestion: ViewModifier {
    private let account: AccountModel
    @Binding private var isPresented: Bool
    private let after: @MainActor () async -> Void

    /// - Parameter after: The act that follows the user's answer, whether or not it could be carried out.
    init(
        _ account: AccountModel, isPresented: Binding<Bool>, after: @escaping @MainActor () async -> Void = {}
    ) {
        self.account = account
        self.after = after
        _isPresented = isPresented
    }

    func body(content: Content) -> some View {
        let copy = account.copy
        // A platform may look again between putting the question away and the button's act.
        let scope = account.lastAsked
        let question = account.question(scope)
        content
            .confirmationDialog(question.title, isPresented: $isPresented, titleVisibility: .visible) {
                Button(copy[.logOut], role: .destructive) {
                    account.begin {
                        await account.confirmed(scope)
                        await after()
                    }
                }
                .accessibilityIdentifier("confirmLogout")
                Button(copy[.cancel], role: .cancel) { account.cancel() }
                    .accessibilityIdentifier("cancelLogout")
            } message: {
                Text(question.message)
            }
    }
}

/// Says that signing out failed, beside the control that was tapped: a sheet of settings covers the root of the app.
@MainActor
struct SignOutFailure: ViewModifier {
    private let account: AccountModel
    @Binding private var isPresented: Bool

    init(_ account: AccountModel, isPresented: Binding<Bool>) {
        self.account = account
        _isPresented = isPresented
    }

    func body(content: Content) -> some View {
        content
            .alert(account.failure ?? "", isPresented: $isPresented) {
                Button(account.copy[.ok], role: .cancel) { account.cancel() }
            } message: {
                EmptyView()
            }
    }
}
#endif
