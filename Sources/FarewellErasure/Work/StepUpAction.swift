// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import Foundation

/// The action of a proof. A proof for one action is not valid for the other.
public enum StepUpAction: String, Sendable, Hashable, CaseIterable {
    case requestErasure = "request erasure"
    case cancelErasure = "cancel erasure"
    case requestExport = "request export"
}
