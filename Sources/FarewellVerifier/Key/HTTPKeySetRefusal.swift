// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// An issuer did not give its key set.
public struct HTTPKeySetRefusal: Error, Sendable, Hashable {
    /// The status of HTTP.
    public let status: Int
}
