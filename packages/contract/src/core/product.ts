/** Name of the product in an installation without a name of its own. */
export const DEFAULT_NAME = '运营管理系统'
