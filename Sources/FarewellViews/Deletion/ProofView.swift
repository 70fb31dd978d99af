// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellUI
import SwiftUI

/// Shows again who it is, where the sign-in is old.
struct ProofView: View {
    private let deletion: DeletionModel
    @State private var password = ""

    init(_ deletion: DeletionModel) { self.deletion = deletion }

    var body: some View {
        let copy = deletion.copy
        NavigationStack {
            Form {
                Section {
                    Text(copy[.confirmIdentity]).font(.headline).accessibilityAddTraits(.isHeader)
                    SecureField(copy[.password], text: $password)
                        .onSubmit { prove() }
                        .accessibilityIdentifier("proofPassword")
                    if let problem = deletion.proofProblem {
                        Text(problem).foregroundStyle(.red).accessibilityIdentifier("proofProblem")
                    }
                }
                Section {
                    Button(copy[.continueAction]) { prove() }
                        .disabled(password.isEmpty)
                        .accessibilityIdentifier("proofContinue")
                    Button(copy[.cancel], role: .cancel) { deletion.cancel() }
                        .accessibilityIdentifier("proofCancel")
                }
            }
            .navigationTitle(copy[.deleteAccount])
        }
    }

    private func prove() {
        guard !password.isEmpty else { return }
        let given = password
        password = ""
        Task { await deletion.prove(password: given) }
    }
}
#endif
