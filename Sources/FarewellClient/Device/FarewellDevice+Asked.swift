// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Sign-outs of a provider that keeps the user signed in until the server has answered.
extension FarewellDevice {
    /// Signs out after the server has answered; only then the journal has the sign-out.
    ///
    /// - Throws: the server's error: the user stays signed in.
    func leaveOnceTold(_ session: DeviceSession, _ scope: SignOutScope) async throws -> SignOutResult {
        do {
            try asked.write(.init(sessionID: session.id, scope: scope, process: ProcessNumber.own))
        } catch {
            environment.log(.of(error))
        }
        defer {
            // Another process may wait for an answer of its own by now.
            if asked.request?.process == ProcessNumber.own { forgetAsked() }
        }
        let isTold = try await tellFirst(scope)
        let done = try await depart(session, .byYou, scope, wipes: .signOut)
        return done.result(isTold || scope == .local ? .told : .unconfirmed)
    }

    /// Asks again if an earlier process ended before the answer. Meanwhile nothing of the user is shown. If the
    /// server cannot be reached, the user stays signed in, as after any sign-out that failed.
    ///
    /// - Returns: Whether this signed the user out.
    func hasLeftAsAsked() async -> Bool {
        guard let request = asked.request, isOrphaned(request) else { return false }
        isQuiet = true
        look(isFirst: true)
        switch standing {
        case .signedIn(let session) where session.id == request.sessionID:
            do { _ = try await leaveOnceTold(session, request.scope) } catch { environment.log(.of(error)) }
        case .signedIn, .signedOut: forgetAsked()
        case .unknown: break
        }
        isQuiet = false
        let found = standing
        guard case .signedOut = found else {
            stand(.unknown(Self.notLaunched), saying: nil)
            return false
        }
        stand(found, saying: .initial(found))
        return true
    }

    /// Whether no process waits for the answer any more.
    private func isOrphaned(_ request: AskedSignOut.Request) -> Bool {
        request.process == ProcessNumber.own ? leaving == nil : !ProcessNumber.mayBeAlive(request.process)
    }

    private func forgetAsked() {
        do { try asked.remove() } catch { environment.log(.of(error)) }
    }
}
