// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellClient
public import FarewellUI
import Foundation
public import SwiftUI

/// The sheet after a deletion: its result, its number, the end of its grace period, and the signed receipt to share.
///
/// ```swift
/// WelcomeScreen().sheet(isPresented: $deletion.isShowingReceipt) { ReceiptView(deletion) }
/// ```
@MainActor
public struct ReceiptView: View {
    private let deletion: DeletionModel

    public init(_ deletion: DeletionModel) { self.deletion = deletion }

    public var body: some View {
        let copy = deletion.copy
        VStack(alignment: .leading, spacing: 12) {
            Text(copy[.deleted]).font(.title2).accessibilityAddTraits(.isHeader).accessibilityIdentifier(
                "deletedMessage")
            if deletion.result?.isDeviceClean == false {
                Text(copy[.leftOnDevice]).font(.body).accessibilityIdentifier("leftOnDevice")
            }
            if let number = deletion.receipt?.id {
                Text(copy[.requestNumber]).font(.footnote).foregroundStyle(.secondary)
                Text(number).font(.body).textSelection(.enabled).accessibilityIdentifier("receiptNumber")
            }
            if let until = deletion.receipt?.graceUntil {
                Text(copy[.takeBackUntil]).font(.footnote).foregroundStyle(.secondary)
                Text(until, format: Self.day(copy)).font(.body).accessibilityIdentifier("receiptUntil")
            }
            if !deletion.receiptFiles.isEmpty {
                ShareLink(items: deletion.receiptFiles) { Text(copy[.shareReceipt]) }
                    .accessibilityIdentifier("receiptShare")
            }
            Button(copy[.ok]) { deletion.putAwayReceipt() }.accessibilityIdentifier("receiptDone")
        }
        .padding()
        .environment(\.layoutDirection, copy.isRightToLeft ? .rightToLeft : .leftToRight)
    }

    private static func day(_ copy: Copy) -> Date.FormatStyle {
        Date.FormatStyle(date: .long, time: .shortened, locale: Locale(identifier: copy.language))
    }
}
#endif
