import type { Contract } from './endpoint.ts'

/** Error message when staff with a limited data scope change data that all tenants share. */
export const SHARED_DATA_MESSAGE = '该数据由全部客户共用，您的数据范围不包含全部客户，只能查看'

/**
 * Marks all writes of a contract whose data all tenants share: staff whose data scope is limited to chosen tenants is
 * refused. Reads stay as they are.
 */
export const sharedData = <const C extends Contract>(contract: C): C =>
  Object.fromEntries(
    Object.entries(contract).map(([name, call]) => [
      name,
      call.method === 'GET' ? call : { ...call, allTenants: true },
    ]),
  ) as C
