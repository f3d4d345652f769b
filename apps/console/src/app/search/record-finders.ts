import { ads } from '@oms/contract/advertise/ad.ts'
import { programs } from '@oms/contract/advertise/program.ts'
import { userApply } from '@oms/contract/tenant/user-apply.ts'
import { accounts } from '@oms/contract/account-list/account-list.ts'
import { agents } from '@oms/contract/agent/agents/agent.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import { licenseGrants } from '@oms/contract/license/license-grant.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { staff } from '@oms/contract/staff/staff.ts'
import { storageCards } from '@oms/contract/storage/card.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { ota } from '@oms/contract/ota/ota.ts'
import { software } from '@oms/contract/ota/software.ts'
import { appAccount } from '@oms/contract/tenant/app-account.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { getDetailOrListUrl, finder, FIRST, hasThreeDigits, join, listUrl, type RecordFinder } from './finder.ts'

/** Returns the URL of a list on a tab of the page 云存开通. */
const storageUrl = (view: string, list: string, filters: Readonly<Record<string, string>>) =>
  listUrl('/ossManage/deviceList', { view, list, ...filters })

/** Orders, refunds, cards and entitlements, by their numbers. */
const SALES: readonly RecordFinder[] = [
  finder(
    agentOrders.list,
    (orderNo) => ({ ...FIRST, orderNo: orderNo.slice(0, 20) }),
    ({ id, orderNo, tenantName, packageName }) => ({
      key: `agent order ${id}`,
      title: orderNo,
      detail: join('智能体订单', tenantName, packageName),
      to: listUrl('/agent/order', { orderNo }),
    }),
    hasThreeDigits,
  ),
  finder(
    storageOrders.list,
    [(outOrderNo) => ({ ...FIRST, outOrderNo }), (orderNo) => ({ ...FIRST, orderNo: orderNo.slice(0, 20) })],
    ({ id, orderNo, outOrderNo, packageName }) => ({
      key: `storage order ${id}`,
      title: outOrderNo || orderNo,
      detail: join('云存订单', orderNo, packageName),
      to: storageUrl('orders', 'orders', { orderNo }),
    }),
    hasThreeDigits,
  ),
  finder(
    storageOrders.refunds,
    [(outRefundNo) => ({ ...FIRST, outRefundNo }), (refundNo) => ({ ...FIRST, refundNo: refundNo.slice(0, 20) })],
    ({ id, refundNo, outRefundNo, outOrderNo }) => ({
      key: `storage refund ${id}`,
      title: outRefundNo || refundNo,
      detail: join('云存退款', refundNo, outOrderNo),
      to: storageUrl('orders', 'refunds', { refundNo }),
    }),
    hasThreeDigits,
  ),
  finder(
    storageCards.batches,
    (batchNo) => ({ ...FIRST, batchNo: batchNo.slice(0, 20) }),
    ({ id, batchNo, packageName }) => ({
      key: `card batch ${id}`,
      title: batchNo,
      detail: join('卡密批次', packageName),
      to: storageUrl('cards', 'batches', { batchNo }),
    }),
    hasThreeDigits,
  ),
  finder(
    storageEntitlements.list,
    (entNo) => ({ ...FIRST, entNo }),
    ({ id, entNo, sn, packageName }) => ({
      key: `entitlement ${id}`,
      title: entNo,
      detail: join('云存开通', sn, packageName),
      to: listUrl('/ossManage/deviceList', { entNo }),
    }),
    (keyword) => hasThreeDigits(keyword) && keyword.length <= 20,
  ),
]

/** Certificates by UID, and grants by their number or contract. */
const LICENCES: readonly RecordFinder[] = [
  finder(
    licenseCerts.list,
    (uid) => ({ ...FIRST, uid }),
    // The row contains a masked UID, so the list is filtered by the keyword.
    ({ id, uid, tenantName }, keyword) => ({
      key: `licence ${id}`,
      title: uid,
      detail: join('P2P证书', tenantName),
      to: listUrl('/LicenseManage/Certificate', { uid: keyword }),
    }),
  ),
  finder(
    licenseGrants.list,
    [
      (grantNo) => ({ ...FIRST, grantNo: grantNo.slice(0, 20) }),
      (contractNo) => ({ ...FIRST, contractNo: contractNo.slice(0, 50) }),
    ],
    ({ id, grantNo, tenantName, contractNo }) => ({
      key: `licence grant ${id}`,
      title: grantNo,
      detail: join('证书授权', tenantName, contractNo),
      to: listUrl('/LicenseManage/ConsentManage', { grantNo }),
    }),
    hasThreeDigits,
  ),
]

const isShort = (max: number) => (keyword: string) => keyword.length <= max

/** Accounts of the console by account or name, and App accounts by account or mobile number. */
const PEOPLE: readonly RecordFinder[] = [
  finder(
    accounts.list,
    [(account) => ({ ...FIRST, account }), (realname) => ({ ...FIRST, realname: realname.slice(0, 15) })],
    ({ uid, account, realname, tenantName }) => ({
      key: `account ${uid}`,
      title: account,
      detail: join('账号', realname, tenantName),
      to: getDetailOrListUrl(`/userManage/index?uid=${uid}`, listUrl('/system/userList', { account })),
    }),
    isShort(30),
  ),
  finder(
    staff.list,
    [(account) => ({ ...FIRST, account }), (realname) => ({ ...FIRST, realname: realname.slice(0, 15) })],
    ({ uid, account, realname }) => ({
      key: `account ${uid}`,
      title: account,
      detail: join('用户', realname),
      to: listUrl('/system/manager', { account }),
    }),
    isShort(30),
  ),
  finder(
    appAccount.list,
    [(account) => ({ ...FIRST, account }), (mobileNo) => ({ ...FIRST, mobileNo: mobileNo.slice(0, 20) })],
    ({ uid, account, nickname, tenantName }) => ({
      key: `app account ${uid}`,
      title: account,
      detail: join('App账号', nickname, tenantName),
      to: listUrl('/AccountAdministration/accountList', { account }),
    }),
    isShort(50),
  ),
]

/** Finds software packages, ads and programs by name, agents by name or code, and applications by number or name. */
const OTHERS: readonly RecordFinder[] = [
  finder(
    software.list,
    (packageName) => ({ ...FIRST, packageName }),
    ({ otaId, packageName, verName, modelName }) => ({
      key: `software ${otaId}`,
      title: packageName,
      detail: join('软件包', modelName, verName),
      to: listUrl('/upgrade/GeneralSoftware', { packageName, verName }),
    }),
  ),
  finder(
    agents.list,
    [(agentName) => ({ ...FIRST, agentName }), (agentCode) => ({ ...FIRST, agentCode: agentCode.slice(0, 36) })],
    ({ id, agentName, agentCode, tenantName }) => ({
      key: `agent ${id}`,
      title: agentName,
      detail: join('智能体', agentCode, tenantName),
      to: getDetailOrListUrl(`/agent/agent/detail/${id}`, listUrl('/agent/agent', { agentName })),
    }),
  ),
  finder(
    ads.list,
    (adName) => ({ ...FIRST, adName }),
    ({ id, adName, advertiser }) => ({
      key: `ad ${id}`,
      title: adName,
      detail: join('广告', advertiser),
      to: listUrl('/advertiseManage/adList', { adName }),
    }),
    isShort(32),
  ),
  finder(
    programs.list,
    (programName) => ({ ...FIRST, programName }),
    ({ id, programName, tenantName }) => ({
      key: `program ${id}`,
      title: programName,
      detail: join('节目单', tenantName),
      to: listUrl('/advertiseManage/ProgramList', { programName }),
    }),
    isShort(32),
  ),
  finder(
    userApply.list,
    [(applyNo) => ({ ...FIRST, applyNo }), (realname) => ({ ...FIRST, realname: realname.slice(0, 15) })],
    ({ applyNo, account, realname, tenantName }) => ({
      key: `application ${applyNo}`,
      title: applyNo,
      detail: join('加入申请', account, realname, tenantName),
      to: listUrl('/tenantManage/userapplication', { applyNo }),
    }),
    isShort(20),
  ),
]

/** All searchable record kinds, most used first. */
export const RECORD_FINDERS: readonly RecordFinder[] = [
  finder(
    devices.list,
    (sn) => ({ ...FIRST, sn }),
    ({ id, sn, devName, modelName }) => ({
      key: `device ${id}`,
      title: sn,
      detail: join('设备', devName, modelName),
      to: getDetailOrListUrl(`/device/apkManage/detail/${id}`, listUrl('/device/apkManage', { sn })),
    }),
  ),
  finder(
    tenant.list,
    [(name) => ({ ...FIRST, name }), (tenantNo) => ({ ...FIRST, tenantNo: tenantNo.slice(0, 20) })],
    ({ id, name, tenantNo }) => ({
      key: `tenant ${id}`,
      title: name,
      detail: `客户 · ${tenantNo}`,
      to: getDetailOrListUrl(`/tenantManage/tenant/overview/${id}`, listUrl('/tenantManage/tenant', { tenantNo })),
    }),
  ),
  finder(
    feedback.page,
    (keyword) => ({ ...FIRST, keyword }),
    ({ id, feedbackNo, content }) => ({
      key: `ticket ${id}`,
      title: feedbackNo,
      detail: `工单 · ${content.slice(0, 30)}`,
      to: getDetailOrListUrl(
        `/AfterService/Questions/Pendding?info=${encodeURIComponent(JSON.stringify({ id }))}`,
        listUrl('/AfterService/Questions', { feedbackNo }),
      ),
    }),
  ),
  finder(
    ota.list,
    (verName) => ({ ...FIRST, verName }),
    ({ otaId, verName, verCode, modelName }) => ({
      key: `ota ${otaId}`,
      title: verName,
      detail: `固件 · ${modelName} · ${verCode}`,
      to: getDetailOrListUrl(`/EditOta/${otaId}`, listUrl('/upgrade/ota', { verName })),
    }),
  ),
  ...SALES,
  ...LICENCES,
  ...PEOPLE,
  ...OTHERS,
]
