// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Whether somebody may sign up without saying who they are.
public enum AnonymousRule: String, Sendable, Hashable, CaseIterable { case allowed, refused }
