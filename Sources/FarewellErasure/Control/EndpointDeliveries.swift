// SPDX-License-Identifier: Apache-2.0

/// The pending deliveries of one receiver of events.
package struct EndpointDeliveries: Sendable, Hashable {
    package var name: String
    package var waiting = 0
    package var delivered = 0
    package var dead = 0
}
