// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Whether anonymous sign-ups are allowed.
public enum AnonymousRule: String, Sendable, Hashable, CaseIterable { case allowed, refused }
