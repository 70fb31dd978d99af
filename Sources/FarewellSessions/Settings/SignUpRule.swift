// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Whether users may sign up without an operator.
public enum SignUpRule: String, Sendable, Hashable, CaseIterable { case open, closed }
