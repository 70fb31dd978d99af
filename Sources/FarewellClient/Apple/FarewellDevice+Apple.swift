// SPDX-License-Identifier: Apache-2.0
import Farewell

extension FarewellDevice {
    /// Follows Apple's credential until the task is cancelled (SE-7): checks it once a session of a user
    /// of Sign in with Apple is restored, and handles the system's notifications.
    public func followAppleCredential(_ apple: any AppleCredentialChecking) async {
        async let isChecked: Void = checkRestored(apple)
        for await _ in apple.revocations { await appleCredentialWasRevoked(apple) }
        await isChecked
    }

    /// Waits for the first known state: tokens may be locked at launch. A user who signs in later has just proved their
    /// identity.
    private func checkRestored(_ apple: any AppleCredentialChecking) async {
        for await event in events {
            switch event {
            case .initial(.unknown): continue
            case .initial(.signedIn), .signedIn, .tokenRefreshed, .userUpdated: await checkAppleCredential(apple)
            case .initial(.signedOut), .signedOut, .userDeleted: break
            }
            return
        }
    }

    /// Checks at launch, for users who signed in with Apple, whether they still may; looks a second time before
    /// anything is cleared.
    ///
    /// - Parameter pause: How long until the second look.
    @discardableResult
    public func checkAppleCredential(
        _ apple: any AppleCredentialChecking, pause: Duration = .seconds(3)
    ) async -> AppleVerdict {
        guard let session = standing.session, let id = session.user.appleUserID else { return .stay }
        guard await isWithdrawn(apple, id) else { return .stay }
        var signals: Set<AppleSignal> = [.state]
        // Without the pause a second look is no second sign: the next launch checks again.
        do { try await environment.sleep(pause) } catch { return .stay }
        if await isWithdrawn(apple, id) { signals.insert(.secondLook) }
        return await follow(signals, session)
    }

    /// The system's notification came. Apple's present answer is the second sign.
    @discardableResult
    public func appleCredentialWasRevoked(_ apple: any AppleCredentialChecking) async -> AppleVerdict {
        guard let session = standing.session, let id = session.user.appleUserID else { return .stay }
        var signals: Set<AppleSignal> = [.notification]
        if await isWithdrawn(apple, id) { signals.insert(.state) }
        return await follow(signals, session)
    }

    private func isWithdrawn(_ apple: any AppleCredentialChecking, _ id: String) async -> Bool {
        switch await apple.state(of: id) {
        case .revoked, .notFound: true
        case .authorized, .transferred, .unknown: false
        }
    }

    private func follow(_ signals: Set<AppleSignal>, _ session: DeviceSession) async -> AppleVerdict {
        let verdict = AppleVerdict.of(signals)
        guard verdict != .stay else { return verdict }
        let order = provider.revocation(of: session, scope: .local)
        if order == nil { tell(session, .local) }
        let occasion: WipeOccasion? = verdict == .signOutAndWipe ? .signOut : nil
        do {
            _ = try await depart(session, .appleCredentialRevoked, wipes: occasion, order)
        } catch {
            // Nothing has changed on this device: the next check finds the same.
            environment.log(.of(error))
            return .stay
        }
        await deliverBriefly()
        keepUp(isTried: true)
        return verdict
    }
}
