// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The result of a sign-out, and the remaining work.
public struct SignOutResult: Sendable, Hashable {
    /// The state of every participant on the device.
    public let device: WipeReport
    public let server: Server
    /// Errors on this device; each step is tried again at the next launch, before any user is shown as signed in.
    public let problems: [FarewellError]

    public init(device: WipeReport, server: Server, problems: [FarewellError] = []) {
        self.device = device
        self.server = server
        self.problems = problems
    }

    /// Whether nothing is left to do on this device.
    public var isDeviceClean: Bool { device.isClean && problems.isEmpty }

    /// Whether nothing is left to do, here or at the server.
    public var isComplete: Bool {
        isDeviceClean && (server == .told || server == .nothingToTell)
    }

    /// The same result for a caller who asked for this scope while a sign-out in another one was in progress.
    func answering(_ asked: SignOutScope, after done: SignOutScope) -> SignOutResult {
        guard asked == .global, done == .local else { return self }
        // The session has ended, and with it the means to end the user's other sessions.
        return SignOutResult(device: device, server: .unconfirmed, problems: problems)
    }

    /// Whether the server knows.
    public enum Server: String, Sendable, Hashable, CaseIterable {
        case told
        /// In the outbox: the server learns of it as soon as it can be reached, also after a restart.
        case pending
        /// It was not reached, and this backend has no credential that could report it later.
        case unconfirmed
        case nothingToTell
    }
}
