// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The result of an account's deletion.
public struct DeletionResult: Sendable, Hashable {
    /// How the server's part stood when this device turned to its own.
    public let server: DeletionProgress
    /// Whether the server said that everything is gone; otherwise it has promised it.
    public let isDone: Bool
    /// The state of every participant on the device.
    public let device: WipeReport
    /// Errors on this device; each step is tried again at the next launch, before any screen shows.
    public let problems: [FarewellError]
}
