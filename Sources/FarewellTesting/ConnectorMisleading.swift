// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The reason why a connector sees no data although there is some.
public enum ConnectorMisleading: String, Sendable, Hashable, CaseIterable {
    /// Another bucket, project, table, pool, mode or path.
    case wrongPlace = "wrong place"
    /// A valid credential that sees nothing, or may not read.
    case blindCredential = "blind credential"
}
