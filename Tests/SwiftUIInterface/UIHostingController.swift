// SPDX-License-Identifier: Apache-2.0

public import UIKitInterface

/// A screen of views for apps with view controllers.
open class UIHostingController<Content: View>: UIViewController {
    public var rootView: Content

    public init(rootView: Content) {
        self.rootView = rootView
        super.init()
    }
}
