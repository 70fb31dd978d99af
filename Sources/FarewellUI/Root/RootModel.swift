// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Observation

/// The first screen of an app: it follows the device's events, without manual navigation (SO-6).
@MainActor
@Observable
public final class RootModel {
    /// The screen.
    public enum Screen: Sendable, Equatable {
        /// Not known yet, or a clean-up is being finished: neither the user's data nor a sign-in is shown.
        case restoring
        /// No user is signed in: for new users, and after a deletion.
        case welcome(SignOutReason?)
        case signedIn(DeviceUser)
        /// The app is not set up or signed for its token store. No user can correct it: the error has the remedy.
        case misconfigured(FarewellError)
    }

    public private(set) var screen = Screen.restoring
    /// Counts the users who come and go. A view with another number is another view: it has no state of the one before.
    package private(set) var visit = 0
    private let personal: [any PersonalModel]

    /// - Parameter personal: The models that are reset when the user signs out or another user signs in.
    public init(resetting personal: [any PersonalModel] = []) { self.personal = personal }

    /// Follows events until they end or the task is cancelled.
    public func follow(_ events: SessionEvents) async {
        for await event in events { take(event) }
    }

    /// Applies an event to the screen.
    public func take(_ event: SessionEvent) {
        let before = person
        defer {
            if person != before { visit += 1 }
            if person != before || person == nil { personal.forEach { $0.reset() } }
        }
        switch event {
        case .initial(.signedIn(let session)), .signedIn(let session), .tokenRefreshed(let session):
            screen = .signedIn(session.user)
        case .initial(.signedOut(let reason)): screen = .welcome(reason)
        case .initial(.unknown(let error)): screen = Self.screen(error)
        case .signedOut(let reason): screen = .welcome(reason)
        case .userUpdated(let user): screen = .signedIn(user)
        case .userDeleted: screen = .welcome(.accountDeleted)
        }
    }

    private static func screen(_ error: FarewellError) -> Screen {
        switch SessionStanding.unknown(error).help {
        case .wait, nil: .restoring
        case .signIn: .welcome(nil)
        case .correctApp: .misconfigured(error)
        }
    }

    private var person: String? { if case .signedIn(let user) = screen { user.id } else { nil } }
}
