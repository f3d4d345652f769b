import type { NumberFormat } from './formats/number-format.ts'

/** Spreadsheets keep 15 digits of a number and replace the other digits by zeros. */
const EXACT_BELOW = 1e15

const AS_TEXT = '请将该列设置为“文本”格式后重新填写'
/**
 * Prefix of a cell in the file of failed lines whose text differs from the author's input. The author must rewrite the
 * cell.
 */
export const CORRECTION_MARK = '#待更正'

export const CELL_PROBLEMS = {
  tooLong: `数字超过15位，表格软件已改变其末尾数字，${AS_TEXT}`,
  shownOtherwise: `单元格的数字格式使显示内容与实际内容不同（如补零、百分比），${AS_TEXT}`,
  formula: '公式没有计算结果，请在表格软件中重新计算并保存，或改为填写数值',
  scientific: `内容已被表格软件改成科学计数法，${AS_TEXT}`,
  quote: '引号不正确：含引号的内容应整格加引号，其中的引号写两遍',
  /** Applies only to columns without dates. Spreadsheets change the text 3-4 into a date. */
  date: `内容已被表格软件改成日期或时间，${AS_TEXT}`,
  marked: `请更正以“${CORRECTION_MARK}”开头的单元格`,
  untitled: (column: number) => `第${column}列没有列名，但有内容；请检查表头、逗号与引号`,
  error: (text: string) => `单元格为错误值${text}`,
} as const

const ERROR_VALUES = new Set(['#N/A', '#REF!', '#VALUE!', '#DIV/0!', '#NAME?', '#NULL!', '#NUM!'])

/** Returns why a numeric cell may differ from the author's input or display; undefined when it does not differ. */
export function findNumberProblem(number: number, { kind, digits }: NumberFormat): string | undefined {
  if (Math.abs(number) >= EXACT_BELOW) return CELL_PROBLEMS.tooLong
  if (kind === 'changed') return CELL_PROBLEMS.shownOtherwise
  const shown = Math.trunc(Math.abs(number)).toFixed(0).length
  return kind === 'plain' && shown < digits ? CELL_PROBLEMS.shownOtherwise : undefined
}

/** Returns why a text cell is refused in any column. */
export const findTextProblem = (text: string) => (text.startsWith(CORRECTION_MARK) ? CELL_PROBLEMS.marked : undefined)

/** Returns why a cell of a CSV file is refused. There, error values and numbers such as `1.23457E+17` are texts. */
export function findCsvProblem(text: string) {
  if (ERROR_VALUES.has(text)) return CELL_PROBLEMS.error(text)
  return /^-?\d(?:\.\d+)?E\+\d{2,3}$/.test(text) ? CELL_PROBLEMS.scientific : findTextProblem(text)
}
