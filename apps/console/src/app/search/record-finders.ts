import { ads } from '@oms/contract/advertise/ad.ts'
import { programs } from '@oms/contract/advertise/program.ts'
import { userApply } from '@oms/contract/tenant/user-apply.ts'
import { accounts } from '@oms/contract/account/account-list.ts'
import { agents } from '@oms/contract/agent/agents/agent.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import { licenseGrants } from '@oms/contract/license/license-grant.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { storageCards } from '@oms/contract/storage/card.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { ota } from '@oms/contract/upgrade/ota.ts'
import { software } from '@oms/contract/upgrade/software.ts'
import { appAccount } from '@oms/contract/storage/app-account.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import {
  getDetailOrListUrl,
  createFinder,
  FIRST_PAGE,
  hasThreeDigits,
  joinDetails,
  listUrl,
  type RecordFinder,
} from './finder.ts'

/** Returns the URL of a list on a tab of the page 云存开通. */
const storageUrl = (view: string, list: string, filters: Readonly<Record<string, string>>) =>
  listUrl('/ossManage/deviceList', { view, list, ...filters })

/** Orders, refunds, cards and entitlements, by their numbers. */
const SALES: readonly RecordFinder[] = [
  createFinder(
    '智能体订单',
    agentOrders.list,
    (orderNo) => ({ ...FIRST_PAGE, orderNo: orderNo.slice(0, 20) }),
    ({ id, orderNo, tenantName, packageName }) => ({
      key: `agent order ${id}`,
      title: orderNo,
      detail: joinDetails(tenantName, packageName),
      to: listUrl('/agent/order', { orderNo }),
    }),
    hasThreeDigits,
  ),
  createFinder(
    '云存订单',
    storageOrders.list,
    [(outOrderNo) => ({ ...FIRST_PAGE, outOrderNo }), (orderNo) => ({ ...FIRST_PAGE, orderNo: orderNo.slice(0, 20) })],
    ({ id, orderNo, outOrderNo, packageName }) => ({
      key: `storage order ${id}`,
      title: outOrderNo || orderNo,
      detail: joinDetails(orderNo, packageName),
      to: storageUrl('orders', 'orders', { orderNo }),
    }),
    hasThreeDigits,
  ),
  createFinder(
    '云存退款',
    storageOrders.refunds,
    [
      (outRefundNo) => ({ ...FIRST_PAGE, outRefundNo }),
      (refundNo) => ({ ...FIRST_PAGE, refundNo: refundNo.slice(0, 20) }),
    ],
    ({ id, refundNo, outRefundNo, outOrderNo }) => ({
      key: `storage refund ${id}`,
      title: outRefundNo || refundNo,
      detail: joinDetails(refundNo, outOrderNo),
      to: storageUrl('orders', 'refunds', { refundNo }),
    }),
    hasThreeDigits,
  ),
  createFinder(
    '卡密批次',
    storageCards.batches,
    (batchNo) => ({ ...FIRST_PAGE, batchNo: batchNo.slice(0, 20) }),
    ({ id, batchNo, packageName }) => ({
      key: `card batch ${id}`,
      title: batchNo,
      detail: joinDetails(packageName),
      to: storageUrl('cards', 'batches', { batchNo }),
    }),
    hasThreeDigits,
  ),
  createFinder(
    '云存开通',
    storageEntitlements.list,
    (entNo) => ({ ...FIRST_PAGE, entNo }),
    ({ id, entNo, sn, packageName }) => ({
      key: `entitlement ${id}`,
      title: entNo,
      detail: joinDetails(sn, packageName),
      to: listUrl('/ossManage/deviceList', { entNo }),
    }),
    (keyword) => hasThreeDigits(keyword) && keyword.length <= 20,
  ),
]

/** Certificates by UID, and grants by their number or contract. */
const LICENCES: readonly RecordFinder[] = [
  createFinder(
    'P2P证书',
    licenseCerts.list,
    (uid) => ({ ...FIRST_PAGE, uid }),
    // The row contains a masked UID, so the list is filtered by the keyword.
    ({ id, uid, tenantName }, keyword) => ({
      key: `licence ${id}`,
      title: uid,
      detail: joinDetails(tenantName),
      to: listUrl('/LicenseManage/Certificate', { uid: keyword }),
    }),
  ),
  createFinder(
    '证书授权',
    licenseGrants.list,
    [
      (grantNo) => ({ ...FIRST_PAGE, grantNo: grantNo.slice(0, 20) }),
      (contractNo) => ({ ...FIRST_PAGE, contractNo: contractNo.slice(0, 50) }),
    ],
    ({ id, grantNo, tenantName, contractNo }) => ({
      key: `licence grant ${id}`,
      title: grantNo,
      detail: joinDetails(tenantName, contractNo),
      to: listUrl('/LicenseManage/ConsentManage', { grantNo }),
    }),
    hasThreeDigits,
  ),
]

const isShort = (max: number) => (keyword: string) => keyword.length <= max

/** Accounts of the console by account or name, and App accounts by account or mobile number. */
const PEOPLE: readonly RecordFinder[] = [
  createFinder(
    '账号',
    accounts.list,
    [(account) => ({ ...FIRST_PAGE, account }), (realname) => ({ ...FIRST_PAGE, realname: realname.slice(0, 15) })],
    ({ uid, account, realname, tenantName }) => ({
      key: `account ${uid}`,
      title: account,
      detail: joinDetails(realname, tenantName),
      to: getDetailOrListUrl(`/userManage/index?uid=${uid}`, listUrl('/system/userList', { account })),
    }),
    isShort(30),
  ),
  createFinder(
    '用户',
    staff.list,
    [(account) => ({ ...FIRST_PAGE, account }), (realname) => ({ ...FIRST_PAGE, realname: realname.slice(0, 15) })],
    ({ uid, account, realname }) => ({
      key: `account ${uid}`,
      title: account,
      detail: joinDetails(realname),
      to: listUrl('/system/manager', { account }),
    }),
    isShort(30),
  ),
  createFinder(
    'App账号',
    appAccount.list,
    [(account) => ({ ...FIRST_PAGE, account }), (mobileNo) => ({ ...FIRST_PAGE, mobileNo: mobileNo.slice(0, 20) })],
    ({ uid, account, nickname, tenantName }) => ({
      key: `app account ${uid}`,
      title: account,
      detail: joinDetails(nickname, tenantName),
      to: listUrl('/AccountAdministration/accountList', { account }),
    }),
    isShort(50),
  ),
]

/** Finds software packages, ads and programs by name, agents by name or code, and applications by number, account or name. */
const OTHERS: readonly RecordFinder[] = [
  createFinder(
    '软件包',
    software.list,
    (packageName) => ({ ...FIRST_PAGE, packageName }),
    ({ otaId, packageName, verName, modelName }) => ({
      key: `software ${otaId}`,
      title: packageName,
      detail: joinDetails(modelName, verName),
      to: listUrl('/upgrade/GeneralSoftware', { packageName, verName }),
    }),
  ),
  createFinder(
    '智能体',
    agents.list,
    [
      (agentName) => ({ ...FIRST_PAGE, agentName }),
      (agentCode) => ({ ...FIRST_PAGE, agentCode: agentCode.slice(0, 36) }),
    ],
    ({ id, agentName, agentCode, tenantName }) => ({
      key: `agent ${id}`,
      title: agentName,
      detail: joinDetails(agentCode, tenantName),
      to: getDetailOrListUrl(`/agent/agent/detail/${id}`, listUrl('/agent/agent', { agentName })),
    }),
  ),
  createFinder(
    '广告',
    ads.list,
    (adName) => ({ ...FIRST_PAGE, adName }),
    ({ id, adName, advertiser }) => ({
      key: `ad ${id}`,
      title: adName,
      detail: joinDetails(advertiser),
      to: listUrl('/advertiseManage/adList', { adName }),
    }),
    isShort(32),
  ),
  createFinder(
    '节目单',
    programs.list,
    (programName) => ({ ...FIRST_PAGE, programName }),
    ({ id, programName, tenantName }) => ({
      key: `program ${id}`,
      title: programName,
      detail: joinDetails(tenantName),
      to: listUrl('/advertiseManage/ProgramList', { programName }),
    }),
    isShort(32),
  ),
  createFinder(
    '加入申请',
    userApply.list,
    [
      (applyNo) => ({ ...FIRST_PAGE, applyNo: applyNo.slice(0, 20) }),
      (account) => ({ ...FIRST_PAGE, account }),
      (realname) => ({ ...FIRST_PAGE, realname: realname.slice(0, 15) }),
    ],
    ({ applyNo, account, realname, tenantName }) => ({
      key: `application ${applyNo}`,
      title: applyNo,
      detail: joinDetails(account, realname, tenantName),
      to: listUrl('/tenantManage/userapplication', { applyNo }),
    }),
    isShort(30),
  ),
]

/** All searchable record kinds, most used first. */
export const RECORD_FINDERS: readonly RecordFinder[] = [
  createFinder(
    '设备',
    devices.list,
    (sn) => ({ ...FIRST_PAGE, sn }),
    ({ id, sn, devName, modelName }) => ({
      key: `device ${id}`,
      title: sn,
      detail: joinDetails(devName, modelName),
      to: getDetailOrListUrl(`/device/apkManage/detail/${id}`, listUrl('/device/apkManage', { sn })),
    }),
  ),
  createFinder(
    '客户',
    tenant.list,
    (keyword) => ({ ...FIRST_PAGE, keyword }),
    ({ id, name, tenantNo }) => ({
      key: `tenant ${id}`,
      title: name,
      detail: tenantNo,
      to: getDetailOrListUrl(`/tenantManage/tenant/overview/${id}`, listUrl('/tenantManage/tenant', { tenantNo })),
    }),
  ),
  createFinder(
    '工单',
    feedback.page,
    (keyword) => ({ ...FIRST_PAGE, keyword }),
    ({ id, feedbackNo, content }) => ({
      key: `ticket ${id}`,
      title: feedbackNo,
      detail: content.slice(0, 30),
      to: getDetailOrListUrl(
        `/AfterService/Questions/Pendding?info=${encodeURIComponent(JSON.stringify({ id }))}`,
        listUrl('/AfterService/Questions', { feedbackNo }),
      ),
    }),
  ),
  createFinder(
    '固件',
    ota.list,
    (verName) => ({ ...FIRST_PAGE, verName }),
    ({ otaId, verName, verCode, modelName }) => ({
      key: `ota ${otaId}`,
      title: verName,
      detail: `${modelName} · ${verCode}`,
      to: getDetailOrListUrl(`/EditOta/${otaId}`, listUrl('/upgrade/ota', { verName })),
    }),
  ),
  ...SALES,
  ...LICENCES,
  ...PEOPLE,
  ...OTHERS,
]
