// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// What the deletion of an account has reached.
public struct DeletionResult: Sendable, Hashable {
    /// How the server's part stood when this device turned to its own.
    public let server: DeletionProgress
    /// Whether the server said that everything is gone; otherwise it has promised it.
    public let isDone: Bool
    /// What became of everything on the device that holds data.
    public let device: WipeReport
    /// What went wrong on this device; it is tried again at the next launch, before any screen shows.
    public let problems: [FarewellError]
}
