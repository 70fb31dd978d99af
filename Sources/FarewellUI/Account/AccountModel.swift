// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Observation

/// The account section of an app's settings: signing out, with one question before, and a way back.
@MainActor
@Observable
public final class AccountModel: PersonalModel {
    /// The state of a sign-out.
    public enum State: Sendable, Hashable {
        case idle
        /// Asked: `confirm` or `cancel`.
        case confirming(SignOutScope)
        case working(SignOutScope)
        /// It failed; the text to show.
        case failed(String)
    }

    public private(set) var state = State.idle
    /// The scope that the last question was about. It stays while a platform puts the question away.
    package private(set) var lastAsked = SignOutScope.local
    /// The effects that the view must still perform once.
    public private(set) var effects: [ScreenEffect] = []
    /// The result of the last sign-out: the data that it left on this device, and whether the server knows of it. It
    /// identifies no user, and stays until the user asks for another sign-out.
    public private(set) var result: SignOutResult?
    /// The texts, which an app may replace.
    public let copy: Copy
    private let service: any AccountService
    /// The number of resets: the failure of a former user's request is not shown.
    private var era = 0

    public init(_ service: any AccountService, copy: Copy = .english) {
        self.service = service
        self.copy = copy
    }

    /// Whether the backend can sign out in this scope; a control for another one is hidden.
    public func offers(_ scope: SignOutScope) -> Bool { service.scopes.contains(scope) }

    /// Whether there is a list of sessions to show.
    public var offersSessions: Bool { service.listsSessions }

    /// Whether the control may be used.
    public var isEnabled: Bool { if case .working = state { false } else { true } }

    /// Asks first (SO-2).
    public func askToSignOut(_ scope: SignOutScope = .local) {
        guard isEnabled else { return }
        lastAsked = scope
        result = nil
        state = .confirming(scope)
    }

    /// Cancels the question: no haptic, no trace (SO-3).
    public func cancel() {
        guard isEnabled else { return }
        state = .idle
    }

    /// Signs out, once however often it is tapped (SO-4).
    public func confirm() async {
        guard case .confirming(let scope) = state else { return }
        state = .working(scope)
        let era = era
        effects.append(.haptic(.medium))
        do {
            result = try await service.signOut(scope)
            state = .idle
            if scope != .others { effects.append(.announceScreen(copy[.loggedOut])) }
        } catch {
            guard era == self.era else {
                state = .idle
                return
            }
            let isOffline = (error as? FarewellError)?.code == "device.offline"
            state = .failed(copy[isOffline ? .unreachable : .logOutFailed])
        }
    }

    /// There is neither a question nor a failure; pending effects stay.
    public func reset() {
        era += 1
        cancel()
    }

    /// The pending effects, each handed over once.
    public func takeEffects() -> [ScreenEffect] { effects.takeAll() }

    package func takeAnnouncements() -> [ScreenEffect] { effects.takeAnnouncements() }
}
