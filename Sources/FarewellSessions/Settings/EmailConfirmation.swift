// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Whether an e-mail address counts at once, or when it has been confirmed.
public enum EmailConfirmation: String, Sendable, Hashable, CaseIterable { case automatic, required }
