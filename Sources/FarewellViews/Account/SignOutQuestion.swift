// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellUI
import SwiftUI

/// Asks before signing out (SO-2), and tells when it could not be done.
struct SignOutQuestion: ViewModifier {
    @Bindable private var account: AccountModel

    init(_ account: AccountModel) { self.account = account }

    func body(content: Content) -> some View {
        let copy = account.copy
        let scope = account.asked ?? .local
        let question = account.question(scope)
        content
            .confirmationDialog(question.title, isPresented: $account.isAsking, titleVisibility: .visible) {
                Button(copy[.logOut], role: .destructive) { Task { await account.confirmed(scope) } }
                    .accessibilityIdentifier("confirmLogout")
                Button(copy[.cancel], role: .cancel) { account.cancel() }
                    .accessibilityIdentifier("cancelLogout")
            } message: {
                Text(question.message)
            }
            .alert(account.failure ?? "", isPresented: $account.isTelling) {
                Button(copy[.ok], role: .cancel) { account.cancel() }
            } message: {
                EmptyView()
            }
    }
}
#endif
