// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Whether people may sign up by themselves.
public enum SignUpRule: String, Sendable, Hashable, CaseIterable { case open, closed }
