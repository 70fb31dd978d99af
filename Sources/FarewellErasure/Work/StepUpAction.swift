// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import Foundation

/// What a proof is for. A proof for one is none for the other.
public enum StepUpAction: String, Sendable, Hashable, CaseIterable {
    case requestErasure = "request erasure"
    case cancelErasure = "cancel erasure"
}
