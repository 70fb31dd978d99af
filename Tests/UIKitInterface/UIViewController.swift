// SPDX-License-Identifier: Apache-2.0

/// As much of UIKit's type as the entry points of the views need, so that they are compiled on Linux as well.
@MainActor
open class UIViewController {
    public var title: String?

    public init() {}
}
