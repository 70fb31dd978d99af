// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
import FarewellUI
public import SwiftUI

/// A whole screen for apps that have no settings of their own to put `AccountSection` into.
@MainActor
public struct AccountScreen: View {
    private let section: AccountSection

    /// - Parameter section: The section on the screen.
    public init(_ section: AccountSection) { self.section = section }

    public var body: some View {
        let copy = section.account.copy
        NavigationStack {
            Form { section }.navigationTitle(copy[.account])
        }
        .leaving(section.account, section.deletion)
        .environment(\.layoutDirection, copy.isRightToLeft ? .rightToLeft : .leftToRight)
    }
}
#endif
