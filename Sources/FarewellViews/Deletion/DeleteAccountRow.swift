// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellUI
import SwiftUI

/// The row that deletes the account (AD-1), and the question before it (AD-2).
@MainActor
struct DeleteAccountRow: View {
    @Bindable private var deletion: DeletionModel

    private let export: ExportModel?

    /// - Parameter export: Offered before the deletion; `nil` offers none.
    init(_ deletion: DeletionModel, export: ExportModel? = nil) {
        self.deletion = deletion
        self.export = export
    }

    var body: some View {
        let copy = deletion.copy
        Button(role: .destructive) {
            deletion.ask()
        } label: {
            HStack {
                Image(systemName: "trash").foregroundStyle(.red)
                Text(copy[.deleteAccount])
                Spacer()
                Image(systemName: "chevron.forward").foregroundStyle(.secondary).font(.footnote)
            }
        }
        .accessibilityLabel(copy[.deleteLabel])
        .accessibilityHint(copy[.deleteHint])
        .accessibilityIdentifier("deleteAccountButton")
        .alert(copy[.deleteAccount], isPresented: $deletion.isAsking) {
            Button(copy[.deleteAccount], role: .destructive) {
                deletion.begin { await deletion.confirmed() }
            }
            .accessibilityIdentifier("confirmDelete")
            if let export, export.isOffered {
                Button(copy[.exportData]) {
                    deletion.cancel()
                    export.begin { await export.start() }
                }
                .accessibilityIdentifier("exportBeforeDelete")
            }
            Button(copy[.cancel], role: .cancel) { deletion.cancel() }
                .accessibilityIdentifier("cancelDelete")
        } message: {
            Text(copy[.deleteMessage])
        }
        .alert(deletion.failure ?? "", isPresented: $deletion.isTelling) {
            Button(copy[.tryAgain]) { deletion.begin { await deletion.confirmed() } }
            Button(copy[.ok], role: .cancel) { deletion.cancel() }
        } message: {
            EmptyView()
        }
        .sheet(isPresented: $deletion.isProving) { ProofView(deletion) }
        .modifier(DeletionCover(deletion))
    }
}
#endif
