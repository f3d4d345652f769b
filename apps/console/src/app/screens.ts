import { type Screen, defineScreen } from '#core/routing/screens.ts'
import { agentParamScreens } from '#modules/agent/parameters/params.screens.ts'
import { aboutScreens } from '#modules/system/about.screens.ts'
import { accountListScreens } from '#modules/account/account-list/account-list.screens.ts'
import { agentDeviceScreens } from '#modules/agent/devices/device.screens.ts'
import { agentScreens } from '#modules/agent/agents/agent.screens.ts'
import { advertiseScreens } from '#modules/advertise/advertise.screens.ts'
import { programScreens } from '#modules/advertise/programs/program.screens.ts'
import { adStatScreens } from '#modules/advertise/statistics/statistics.screens.ts'
import { adScreenScreens } from '#modules/advertise/screens/screen.screens.ts'
import { agentVoiceScreens } from '#modules/agent/voices/voice.screens.ts'
import { agentOrderScreens } from '#modules/agent/orders/order.screens.ts'
import { agentProductScreens } from '#modules/agent/packages/product.screens.ts'
import { agentTemplateScreens } from '#modules/agent/templates/template.screens.ts'
import { agentConfigScreens } from '#modules/agent/agents/agent-config.screens.ts'
import { accountScreens } from '#modules/account/account.screens.ts'
import { dictScreens } from '#modules/system/dict/dict.screens.ts'
import { homeScreens } from '#modules/home/home.screens.ts'
import { logScreens } from '#modules/system/logs/log.screens.ts'
import { noticeScreens } from '#modules/system/notices/notice.screens.ts'
import { otaScreens } from '#modules/upgrade/versions/ota.screens.ts'
import { staffScreens } from '#modules/account/staff/staff.screens.ts'
import { menuScreens } from '#modules/system/menus/menu.screens.ts'
import { roleScreens } from '#modules/account/roles/role.screens.ts'
import { sceneScreens } from '#modules/tenant/scenes/scene.screens.ts'
import { deviceGroupScreens } from '#modules/device/groups/device-group.screens.ts'
import { deviceModelScreens } from '#modules/device/models/device-model.screens.ts'
import { deviceScreens } from '#modules/device/device.screens.ts'
import { upgradeScreens } from '#modules/upgrade/upgrade.screens.ts'
import { licenseScreens } from '#modules/license/license.screens.ts'
import { storageScreens } from '#modules/storage/storage.screens.ts'
import { ticketScreens } from '#modules/ticket/ticket.screens.ts'
import { voiceprintScreens } from '#modules/agent/voiceprints/voiceprint.screens.ts'
import { tenantScreens } from '#modules/tenant/tenant.screens.ts'

/**
 * All screens of the console. A module adds one line: its list of screens, or one screen by `defineScreen`. Menus,
 * guard, tabs and breadcrumb use the list.
 */
export const screens: readonly Screen[] = [
  ...homeScreens,
  ...accountScreens,
  ...otaScreens,
  ...staffScreens,
  ...accountListScreens,
  ...logScreens,
  ...dictScreens,
  ...noticeScreens,
  ...aboutScreens,
  ...menuScreens,
  ...roleScreens,
  ...sceneScreens,
  ...deviceModelScreens,
  ...deviceScreens,
  ...deviceGroupScreens,
  ...upgradeScreens,
  ...licenseScreens,
  ...storageScreens,
  ...agentDeviceScreens,
  ...advertiseScreens,
  ...programScreens,
  ...adScreenScreens,
  ...voiceprintScreens,
  ...adStatScreens,
  ...agentScreens,
  ...ticketScreens,
  ...tenantScreens,
  ...agentConfigScreens,
  ...agentParamScreens,
  ...agentOrderScreens,
  ...agentProductScreens,
  ...agentTemplateScreens,
  ...agentVoiceScreens,
  defineScreen(
    '/tenantManage/industry',
    '行业管理',
    'tenantManage:industry:list',
    () => import('#modules/tenant/industry.page.tsx'),
  ),
]
