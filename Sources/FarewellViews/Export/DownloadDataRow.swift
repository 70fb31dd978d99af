// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellUI
import Foundation
import SwiftUI

/// The row that downloads the user's data: a button, then progress, then the archive in a share sheet.
@MainActor
struct DownloadDataRow: View {
    @Bindable private var export: ExportModel

    init(_ export: ExportModel) { self.export = export }

    var body: some View {
        let copy = export.copy
        VStack(alignment: .leading, spacing: 8) {
            if let archive = export.archive {
                Text(copy[.exportReady])
                ShareLink(items: [archive]) { Text(copy[.shareExport]) }
                    .accessibilityIdentifier("shareExport")
                Button(copy[.removeExport]) { Task { await export.remove() } }
                    .accessibilityIdentifier("removeExport")
            } else {
                Button(copy[.exportData]) { export.begin { await export.start() } }
                    .disabled(!export.isEnabled)
                    .accessibilityIdentifier("exportButton")
                if let fraction = export.fraction {
                    Text(copy[.exportWorking]).font(.footnote)
                    ProgressView(value: fraction).accessibilityIdentifier("exportProgress")
                }
            }
        }
        // In a list a tap anywhere in a row acts on every button of the row, unless the buttons have a style.
        .buttonStyle(.borderless)
        .alert(export.failure ?? "", isPresented: $export.isTelling) {
            Button(copy[.ok], role: .cancel) { export.cancel() }
        } message: {
            EmptyView()
        }
        .sheet(isPresented: $export.isProving) { ProofView(export) }
        .task { await export.restore() }
        .modifier(ScreenEffects(effects: export.effects) { export.takeEffects() })
    }
}
#endif
