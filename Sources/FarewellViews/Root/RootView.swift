// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
public import FarewellClient
public import FarewellUI
public import SwiftUI

/// The first screen: follows the model, without manual navigation (SO-6, AD-7).
///
/// Each user's screens are views of their own: SwiftUI may skip what is shown for a moment only, such as the welcome
/// between two users, and would then keep the state of the former user's views for the next one (SO-10).
@MainActor
public struct RootView<Welcome: View, SignedIn: View>: View {
    private let root: RootModel
    private let welcome: (SignOutReason?) -> Welcome
    private let signedIn: (DeviceUser) -> SignedIn

    /// - Parameters:
    ///   - root: Which screen it is.
    ///   - welcome: The screen without a signed-in user, with the reason why the last session ended.
    ///   - signedIn: The app.
    public init(
        _ root: RootModel, @ViewBuilder welcome: @escaping (SignOutReason?) -> Welcome,
        @ViewBuilder signedIn: @escaping (DeviceUser) -> SignedIn
    ) {
        self.root = root
        self.welcome = welcome
        self.signedIn = signedIn
    }

    public var body: some View {
        switch root.screen {
        case .restoring: ProgressView().accessibilityIdentifier("restoring")
        case .welcome(let reason): welcome(reason).id(root.visit)
        case .signedIn(let user): signedIn(user).id(root.visit)
        case .misconfigured(let error): Text(error.description).padding().accessibilityIdentifier("misconfigured")
        }
    }
}
#endif
