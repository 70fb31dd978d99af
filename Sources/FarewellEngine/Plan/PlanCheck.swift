// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Holds a plan against a live schema and says everything that does not fit.
public enum PlanCheck {
    /// A keyed hash is cut to its column's length, but never below this many characters.
    public static let shortestHash = 16
}
