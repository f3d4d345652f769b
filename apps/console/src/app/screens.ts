import type { Screen } from '#core/routing/screens.ts'
import { accountScreens } from '#modules/account/index.ts'
import { advertiseScreens } from '#modules/advertise/index.ts'
import { agentScreens } from '#modules/agent/index.ts'
import { deviceScreens } from '#modules/device/index.ts'
import { homeScreens } from '#modules/home/index.ts'
import { integrationScreens } from '#modules/integration/index.ts'
import { licenseScreens } from '#modules/license/index.ts'
import { storageScreens } from '#modules/storage/index.ts'
import { systemScreens } from '#modules/system/index.ts'
import { tenantScreens } from '#modules/tenant/index.ts'
import { ticketScreens } from '#modules/ticket/index.ts'
import { upgradeScreens } from '#modules/upgrade/index.ts'

/**
 * All screens of the console. A module adds one line, its list of screens. Menus,
 * guard, tabs and breadcrumb use the list.
 */
export const screens: readonly Screen[] = [
  ...homeScreens,
  ...accountScreens,
  ...systemScreens,
  ...integrationScreens,
  ...deviceScreens,
  ...upgradeScreens,
  ...licenseScreens,
  ...storageScreens,
  ...advertiseScreens,
  ...agentScreens,
  ...ticketScreens,
  ...tenantScreens,
]
