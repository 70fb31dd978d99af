// SPDX-License-Identifier: Apache-2.0

import Farewell

/// How a connector comes to see nothing where something is.
public enum ConnectorMisleading: String, Sendable, Hashable, CaseIterable {
    /// Another bucket, project, table, pool, mode or path.
    case wrongPlace = "wrong place"
    /// A credential that is good and sees nothing, or may not look.
    case blindCredential = "blind credential"
}
