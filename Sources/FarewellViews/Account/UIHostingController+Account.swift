// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS)
import Farewell
public import FarewellUI
public import SwiftUI
public import UIKit

/// Entry points for apps with view controllers.
extension UIHostingController where Content == AccountScreen {
    /// The account's screen, with its own navigation bar. Present it full screen: the overlay of a running deletion
    /// covers this controller.
    public static func account(_ section: AccountSection) -> UIViewController {
        let controller = UIHostingController(rootView: AccountScreen(section))
        controller.title = section.account.copy[.account]
        return controller
    }
}

extension UIHostingController where Content == ReceiptView {
    /// The sheet after a deletion.
    public static func receipt(_ deletion: DeletionModel) -> UIViewController {
        UIHostingController(rootView: ReceiptView(deletion))
    }
}
#endif
