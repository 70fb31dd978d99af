// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellClient
import FarewellUI
import SwiftUI

/// Asks for a proof of identity, where the sign-in is old: those that the account can give.
@MainActor
struct ProofView: View {
    private let model: any ProofAsking
    @State private var password = ""
    @State private var code = ""

    init(_ model: any ProofAsking) { self.model = model }

    var body: some View {
        let copy = model.copy
        NavigationStack {
            Form {
                Section {
                    Text(copy[.confirmIdentity]).font(.headline).accessibilityAddTraits(.isHeader)
                    if model.isChecking {
                        Text(copy[.checkingProof]).accessibilityIdentifier("proofChecking")
                    }
                    if let problem = model.proofProblem {
                        Text(problem).foregroundStyle(.red).accessibilityIdentifier("proofProblem")
                    }
                }
                ForEach(model.proofs) { kind in
                    Section { proof(kind, copy) }.disabled(model.isChecking)
                }
                Section {
                    Button(copy[.cancel], role: .cancel) { model.cancel() }
                        .accessibilityIdentifier("proofCancel")
                }
            }
            .navigationTitle(model.proofTitle)
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
            Button(copy[.sendCode]) { model.begin { await model.sendCode() } }.accessibilityIdentifier("proofSendCode")
            if model.isCodeSent {
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

    private func prove(_ proof: AccountProof) { model.begin { await model.prove(proof) } }
}
#endif
