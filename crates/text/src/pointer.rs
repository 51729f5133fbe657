//! JSON pointers, which name a place in a value: `/items/0/name`.

/// Appends a step to a pointer.
pub fn push(pointer: &mut String, step: &str) {
    pointer.push('/');
    if step.contains(['~', '/']) {
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(step);
    }
}

/// The pointer made of these steps.
pub fn of<'s>(steps: impl IntoIterator<Item = &'s str>) -> String {
    let mut pointer = String::new();
    for step in steps {
        push(&mut pointer, step);
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointer_escapes_special_characters() {
        assert_eq!(of(["a/b", "~", "0"]), "/a~1b/~0/0");
        assert_eq!(of([]), "");
    }
}
