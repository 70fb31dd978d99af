// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellClient
import FarewellUI
import SwiftUI

/// Asks for a proof of identity, where the sign-in is old: those that the account can give.
@MainActor
struct ProofView: View {
    private let deletion: DeletionModel
    @State private var password = ""
    @State private var code = ""

    init(_ deletion: DeletionModel) { self.deletion = deletion }

    var body: some View {
        let copy = deletion.copy
        NavigationStack {
            Form {
                Section {
                    Text(copy[.confirmIdentity]).font(.headline).accessibilityAddTraits(.isHeader)
                    if deletion.isChecking {
                        Text(copy[.checkingProof]).accessibilityIdentifier("proofChecking")
                    }
                    if let problem = deletion.proofProblem {
                        Text(problem).foregroundStyle(.red).accessibilityIdentifier("proofProblem")
                    }
                }
                ForEach(deletion.proofs) { kind in
                    Section { proof(kind, copy) }.disabled(deletion.isChecking)
                }
                Section {
                    Button(copy[.cancel], role: .cancel) { deletion.cancel() }
                        .accessibilityIdentifier("proofCancel")
                }
            }
            .navigationTitle(copy[.deleteAccount])
        }
    }

    @ViewBuilder
    private func proof(_ kind: IdentityProof.Kind, _ copy: Copy) -> some View {
        switch kind {
        case .apple:
            Button(copy[.continueWithApple]) { prove(.apple) }.accessibilityIdentifier("proofApple")
        case .password:
            SecureField(copy[.password], text: $password)
                .onSubmit { provePassword() }
                .accessibilityIdentifier("proofPassword")
            Button(copy[.continueAction]) { provePassword() }
                .disabled(password.isEmpty)
                .accessibilityIdentifier("proofContinue")
        case .mailedCode:
            Button(copy[.sendCode]) { Task { await deletion.sendCode() } }.accessibilityIdentifier("proofSendCode")
            if deletion.isCodeSent {
                SecureField(copy[.mailedCode], text: $code)
                    .onSubmit { proveCode() }
                    .accessibilityIdentifier("proofCode")
                Button(copy[.continueAction]) { proveCode() }
                    .disabled(code.isEmpty)
                    .accessibilityIdentifier("proofCodeContinue")
            }
        }
    }

    private func provePassword() {
        guard !password.isEmpty else { return }
        let given = password
        password = ""
        prove(.password(given))
    }

    private func proveCode() {
        guard !code.isEmpty else { return }
        let given = code
        code = ""
        prove(.mailedCode(given))
    }

    private func prove(_ proof: AccountProof) { Task { await deletion.prove(proof) } }
}
#endif
