// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The result of an account's deletion.
public struct DeletionResult: Sendable, Hashable {
    /// The state of the server's part when this device began its own part.
    public let server: DeletionProgress
    /// Whether the server has confirmed the deletion; otherwise it has accepted the request.
    public let isDone: Bool
    /// The state of every participant on the device.
    public let device: WipeReport
    /// Errors on this device; each step is tried again at the next launch, before any screen shows.
    public let problems: [FarewellError]

    public init(
        server: DeletionProgress, isDone: Bool, device: WipeReport = WipeReport([]), problems: [FarewellError] = []
    ) {
        self.server = server
        self.isDone = isDone
        self.device = device
        self.problems = problems
    }

    /// Whether nothing is left to do on this device.
    public var isDeviceClean: Bool { device.isClean && problems.isEmpty }
}
