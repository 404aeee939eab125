//! Columns of the sums that fit into a terminal.

use crate::exit::Failure;
use crate::human;
use crate::screen::{Line, Screen, Style};

/// The columns in the order in which a narrow terminal leaves them out: reasoning, answers, cache
/// writes and reads, input, output, recorded cost.
const LEAVING: [usize; 7] = [6, 1, 4, 3, 2, 5, 8];

/// Columns of a name that is cut.
const NAME: usize = 16;

/// Prints the rows, and the number of columns that do not fit.
pub(super) fn print(rows: Vec<Vec<Line>>, screen: &mut Screen<'_>) -> Result<(), Failure> {
    let (rows, left_out) = fitting(rows, screen.width);
    screen.table(&rows, &[1, 2, 3, 4, 5, 6, 7, 8, 9])?;
    if left_out > 0 {
        let text = human::counted(left_out, "column does", "columns do");
        let text = format!("{text} not fit here: `--json` has all");
        screen.line(&Line::new().tell(Style::Faint, &text))?;
    }
    Ok(())
}

/// The rows without the columns that do not fit, and the number of these columns.
fn fitting(rows: Vec<Vec<Line>>, width: Option<usize>) -> (Vec<Vec<Line>>, u64) {
    let Some(room) = width else { return (rows, 0) };
    let columns = rows.first().map_or(0, Vec::len);
    let of = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(Line::width).max();
    let widths: Vec<usize> = (0..columns).map(|at| of(at).unwrap_or(0)).collect();
    let mut kept: Vec<usize> = (0..columns).collect();
    let mut leaving = LEAVING.into_iter();
    let needed = |kept: &[usize]| -> usize {
        let each = kept.iter().map(|&at| if at == 0 { widths[0].min(NAME) } else { widths[at] });
        each.sum::<usize>() + 2 * kept.len().saturating_sub(1)
    };
    while needed(&kept) > room
        && let Some(next) = leaving.next()
    {
        kept.retain(|at| *at != next);
    }
    let left_out = (columns - kept.len()) as u64;
    let part = |row: Vec<Line>| {
        let cells = row.into_iter().enumerate();
        cells.filter(|(at, _)| kept.contains(at)).map(|(_, cell)| cell).collect()
    };
    (rows.into_iter().map(part).collect(), left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_leaves_columns_out() {
        let cell = || Line::new().say(Style::Normal, "12345678");
        let rows = || vec![(0..10).map(|_| cell()).collect::<Vec<_>>(); 2];
        for (width, kept) in [(None, 10), (Some(98), 10), (Some(97), 9), (Some(60), 6)] {
            let (rows, left_out) = fitting(rows(), width);
            assert_eq!((rows[1].len(), left_out), (kept, 10 - kept as u64), "{width:?}");
        }
    }
}
