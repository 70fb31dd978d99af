// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
public import Foundation

/// One step of an erasure in the control store.
public struct StepRecord: Sendable, Hashable {
    public var name: String
    public var state: StepState
    public var attempts: Int
    public var startedAt: Date
    public var finishedAt: Date?
    /// Rows or files for each place, once known.
    public var counts: [String: Int]
    /// The progress of a long step: its stored cursor.
    package var progress: StepProgress?
    /// How often a third-party system's part was restarted, also once the step is done; `nil` if never.
    package var round: Int?
    /// The fingerprint of the place in a third-party system where data of the subject was found; `nil` if none was.
    var systemPlace: String?
    /// Until when a third-party system asked not to be called, in seconds since 1970, also once the step is done; `nil`
    /// if it asked for no pause.
    var pausedUntil: Double?

    /// Whether it was begun piece by piece and is not at its end.
    var isInChunks: Bool { progress != nil }
}
