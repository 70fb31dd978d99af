// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// What a sign-out has reached, and what is still to come.
public struct SignOutResult: Sendable, Hashable {
    /// What became of everything on the device that holds data.
    public let device: WipeReport
    public let server: Server
    /// What went wrong on this device; it is tried again at the next launch, before anybody is shown as signed in.
    public let problems: [FarewellError]

    public init(device: WipeReport, server: Server, problems: [FarewellError] = []) {
        self.device = device
        self.server = server
        self.problems = problems
    }

    /// Whether nothing is left to do, here or at the server.
    public var isComplete: Bool {
        device.isClean && problems.isEmpty && (server == .told || server == .nothingToTell)
    }

    /// Whether the server knows.
    public enum Server: String, Sendable, Hashable, CaseIterable {
        case told
        /// In the outbox: it is told as soon as it can be reached, also after a restart.
        case pending
        /// It was not reached, and this backend knows no credential that could tell it later.
        case unconfirmed
        case nothingToTell
    }
}
